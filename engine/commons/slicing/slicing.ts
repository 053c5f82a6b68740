import { blobKey } from '../../shared/blobs/blob-key.ts'
import type { BlobStores } from '../../shared/blobs/blob-stores.ts'
import type { SliceableFormat, StoredFile } from '../../shared/catalogue/files.ts'
import type { GeneModel } from '../../shared/catalogue/genes.ts'
import { LoopTurns } from '../../shared/concurrency/loop-turns.ts'
import { EngineError } from '../../shared/errors.ts'
import { Warnings } from '../../shared/input/warnings.ts'
import type { ByteStream } from '../../shared/streams/byte-stream.ts'
import type { FileAccess } from '../files/file-access.ts'
import type { Alignment } from './alignment.ts'
import { type CoverageWanted, coverageOf } from './decode/coverage.ts'
import { coverageStream } from './decode/coverage-text.ts'
import { type PageWanted, recordPage } from './decode/record-page.ts'
import { lacksCounts } from './directory.ts'
import { DirectoryKeeper, type KeeperContext } from './directory-keeper.ts'
import { hasBroughtCrai } from './make-crai.ts'
import type { AlignmentParts } from './parts.ts'
import { warnOfReferences } from './reference-warnings.ts'
import { readWanted, selectFrom } from './select.ts'
import {
  DEFAULT_LIMITS,
  type PlanOptions,
  type Select,
  type SliceLimits,
  type SlicePlan,
  Slicer,
} from './slicer.ts'
import { DIRECTORY_NAME, storedAlignment } from './stored.ts'

export interface SliceRequest {
  /** Regions as given, 1-based and inclusive. */
  readonly regions: readonly string[]
  /** Gene symbols. */
  readonly genes: readonly string[]
}

export interface SliceRun {
  readonly signal?: AbortSignal | undefined
  /** Collects warnings. Complete when the call resolves. */
  readonly warnings?: Warnings | undefined
}

export interface Slice extends ByteStream {
  /** Name for the client's disk. */
  readonly fileName: string
  /** Identifies the bytes of the slice, on every node. Undefined if the length is. */
  readonly fingerprint: string | undefined
}

/** A slice before its first byte, with a name for the client's disk. */
export interface PlannedSlice extends SlicePlan {
  readonly fileName: string
}

export interface PlanRun extends SliceRun, Pick<PlanOptions, 'isIndexed'> {}

/** A stored sliceable file that the caller may read. */
export interface ReadableBam {
  readonly fileId: string
  /** Id of the release that the permission is based on. Undefined without a release. */
  readonly releaseId: string | undefined
  /**
   * Reports the errors that any slice of the file would have.
   * @throws EngineError no_index, busy, corrupt_source, unavailable
   */
  probe(run?: SliceRun): Promise<void>
  /**
   * Plans a slice and builds its edges. This determines its pieces, length and fingerprint where possible. The
   * planned slice can then be opened from the start or from any byte.
   * @throws EngineError like slice
   */
  plan(request: SliceRequest, run?: PlanRun): Promise<PlannedSlice>
  /**
   * Starts a slice. When the promise resolves, index, regions and the first part of the slice have been found
   * valid, so the response status can be sent.
   * @throws EngineError no_index, bad_region, bad_input, busy, corrupt_source, unavailable
   */
  slice(request: SliceRequest, run?: SliceRun): Promise<Slice>
  /**
   * Computes the depth of a region; see coverageOf. Waits for a slot as a slice does.
   * @throws EngineError bad_region, bad_input, too_large, as slice
   */
  coverage(wanted: CoverageWanted & BodyForm, run?: SliceRun): Promise<ByteStream>
  /**
   * Returns records of a region; see recordPage.
   * @throws EngineError bad_region, bad_input, too_large, as slice
   */
  records(wanted: PageWanted, run?: SliceRun): Promise<ByteStream>
}

/** Output format of depths and records. */
export interface BodyForm {
  readonly format: 'json' | 'arrow'
}

interface SlicingContext extends KeeperContext {
  readonly access: FileAccess
  readonly genes: GeneModel
  /** Yields to the event loop. By default the instance has its own. */
  readonly turns?: LoopTurns | undefined
}

/** Slices of stored files for users who may read them (data-commons.md 7). */
export class Slicing {
  readonly #context: SlicingContext
  readonly #slicer: Slicer
  readonly #keeper: DirectoryKeeper
  readonly #closing = new AbortController()
  #renewing: Promise<void> | undefined

  constructor(context: SlicingContext, limits: Partial<SliceLimits> = {}) {
    this.#context = context
    const { executor, turns } = context
    this.#keeper = new DirectoryKeeper(context, (key) => this.#slicer.forget(key))
    const opened = (alignment: Alignment) => this.#opened(alignment)
    this.#slicer = new Slicer(executor, { ...DEFAULT_LIMITS, ...limits }, opened, turns)
  }

  #opened(alignment: Alignment): void {
    for (const message of alignment.warnings) this.#context.report({ level: 'warn', message })
    if (!alignment.directory?.runRecords) this.#keeper.want(alignment.parts, alignment.identity)
  }

  /**
   * Checks files stored by an earlier version, which kept imported indexes unchanged, and queues outdated
   * indexes to be rebuilt. Each file is checked once, also across restarts.
   */
  startRenewing(): void {
    this.#renewing ??= this.#renewIndexes().catch((cause: unknown) => {
      const message = 'indexes of earlier versions cannot be looked at'
      this.#context.report({ level: 'warn', message, cause })
    })
  }

  async #renewIndexes(): Promise<void> {
    const { files, blobs } = this.#context
    for await (const file of files.each()) {
      if (this.#closing.signal.aborted) return
      const { dataFormat, indexName } = file
      if (dataFormat === null || indexName === null) continue
      const parts = storedAlignment(blobs, file)
      const look = dataFormat === 'CRAM' ? hasBroughtCrai : isEarlier
      const isOld = await look(file, blobs).catch(nothingOfEngine)
      const identity = isOld ? await parts.identity().catch(nothingOfEngine) : undefined
      if (identity) this.#keeper.want(parts, identity)
    }
  }

  /**
   * Opens a file for slicing. Checks in this order that the file exists and can be sliced, that the token may
   * read it, and that its bytes are stored here (data-commons.md 7).
   * @param token the secret as the client sent it; ignored for open files
   * @throws EngineError not_found, unauthenticated, forbidden
   */
  async open(fileId: string, token: string | undefined): Promise<ReadableBam> {
    const { stored: file, releaseId } = await this.#context.access.bam(fileId, token)
    const parts = storedAlignment(this.#context.blobs, file)
    const fileName = sliceNameOf(file)
    const plan = async (request: SliceRequest, run?: PlanRun) => {
      return { ...(await this.#plan(parts, request, run)), fileName }
    }
    return {
      fileId: file.id,
      releaseId,
      probe: (run) => this.#slicer.probe(parts, run),
      plan,
      slice: async (request, run) => {
        const planned = await plan(request, run)
        const { length, fingerprint } = planned
        return { ...(await planned.open()), length, fingerprint, fileName }
      },
      coverage: async (wanted, { signal } = {}) => {
        const made = await coverageOf(this.#slicer, this.#context.executor, parts, wanted, signal)
        return coverageStream(made, wanted.format)
      },
      records: (wanted, { signal } = {}) =>
        recordPage(this.#slicer, this.#context.executor, parts, wanted, signal),
    }
  }

  /**
   * Plans a slice of a file whose access has been checked.
   * @throws EngineError as ReadableBam.slice, or what `select` throws
   * @internal
   */
  planFile(file: StoredFile, select: Select, run: PlanOptions): Promise<SlicePlan> {
    return this.#slicer.plan(storedAlignment(this.#context.blobs, file), select, run)
  }

  /**
   * Returns the blocks of records of a file whose access has been checked, without header and end marker.
   * @throws EngineError as ReadableBam.slice, or what `select` throws
   * @internal
   */
  recordsOf(file: StoredFile, select: Select, run: SliceRun): Promise<ByteStream> {
    return this.#slicer.records(storedAlignment(this.#context.blobs, file), select, run)
  }

  #plan(
    parts: AlignmentParts,
    { regions, genes }: SliceRequest,
    { warnings = new Warnings(), ...run }: PlanRun = {},
  ): Promise<SlicePlan> {
    const { genes: model, turns = new LoopTurns() } = this.#context
    const select = async (alignment: Alignment) => {
      const wanted = await readWanted(regions, genes, (symbols) => model.bySymbols(symbols), turns)
      // For the maximum number of regions, this step takes five milliseconds.
      await turns.pause()
      warnOfReferences(wanted, alignment, warnings)
      return turns.run(selectFrom(alignment, wanted))
    }
    return this.#slicer.plan(parts, select, run)
  }

  /** Returns metrics. */
  load() {
    return this.#slicer.load()
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#renewing
    await this.#slicer.close()
  }
}

/**
 * Returns whether the index of a file has not been proved to belong to it: the file's block directory is from an
 * earlier version, damaged, or missing both here and in object storage.
 */
async function isEarlier({ id, storage }: StoredFile, blobs: BlobStores): Promise<boolean> {
  const stores = storage === 'folder' ? [blobs.folder] : [blobs.folder, blobs.of(storage)]
  for (const store of stores) {
    const directory = await store.open(blobKey(id, DIRECTORY_NAME)).catch(nothingOfEngine)
    if (!directory) continue
    try {
      const lacks = await lacksCounts(directory).catch(nothingOfEngine)
      if (lacks !== undefined) return lacks
    } finally {
      await directory.close()
    }
  }
  return true
}

function nothingOfEngine(error: unknown): undefined {
  if (!(error instanceof EngineError)) throw error
}

/** File name endings of each format. A slice of a file that has none of them gets the first one. */
const ENDINGS: Readonly<Record<SliceableFormat, RegExp>> = {
  BAM: /\.bam$/i,
  VCF: /\.vcf\.b?gz$/i,
  BCF: /\.bcf$/i,
  BED: /\.bed\.b?gz$/i,
  GFF: /\.(gff3?|gtf)\.b?gz$/i,
  TSV: /\.[a-z]+\.b?gz$/i,
}

function sliceNameOf({ fileName, dataFormat }: Pick<StoredFile, 'fileName' | 'dataFormat'>) {
  const format = dataFormat === null || dataFormat === 'CRAM' ? 'BAM' : dataFormat
  const ending = ENDINGS[format].exec(fileName)?.[0]
  const packed = format === 'BAM' || format === 'BCF' ? '' : '.gz'
  if (ending === undefined) return `${fileName}_slice.${format.toLowerCase()}${packed}`
  return `${fileName.slice(0, -ending.length)}_slice${ending.toLowerCase()}`
}
