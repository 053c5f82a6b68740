import type { StoredFile } from '../../../shared/catalogue/files.ts'
import { EngineError } from '../../../shared/errors.ts'
import {
  type ByteStream,
  generatedStream,
  wholeStream,
} from '../../../shared/streams/byte-stream.ts'
import { wholeOrBegun } from '../../search/body.ts'
import type { CurrentRelease } from '../../search/current-release.ts'
import { type AnnotationAsked, type CellAnnotations, cellAnnotations } from './annotation-body.ts'
import { expressionBody, type GenesAsked } from './expression-body.ts'
import { fileStateOf, identityOf } from './file-state.ts'
import { CaseFiles } from './find-file.ts'
import { geneBody } from './gene-body.ts'
import { genePaths } from './gene-file.ts'
import { GeneKeeper, type GeneKeeperContext } from './gene-keeper.ts'
import { MAX_CELLS, matrixJob } from './matrix.ts'
import type { FileState } from './open-files.ts'
import { type GenesLease, OpenGenesFiles } from './open-genes.ts'
import { storedAnnotations } from './stored-annotations.ts'

/** Exactly one of the two ids. */
export interface CellExpressionRequest {
  readonly caseId: string | undefined
  readonly fileId: string | undefined
  /** One to ten; repeats do not count. */
  readonly geneIds: readonly string[]
  /** The token's secret as it was sent; open files never look at it. */
  readonly token: string | undefined
}

/** Exactly one of the two ids. */
export interface CellAnnotationRequest
  extends Pick<CellExpressionRequest, 'caseId' | 'fileId' | 'token'> {
  /** One whose values are wanted; left out: the names of all. */
  readonly annotation: string | undefined
}

export interface SingleCellContext extends GeneKeeperContext {
  readonly current: CurrentRelease
  /** The stored file, for who may read it. */
  readonly hdf5: (fileId: string, token: string | undefined) => Promise<StoredFile>
  /** Called with a file when its numbers by gene show to be damaged. */
  readonly onDamaged: (fileId: string, error: unknown) => void
}

const MAX_GENES = 10
const MAX_ANSWERS = 32
/** An object under an id does not change, unless somebody meddles with the bucket. */
const OBJECT_TRUST_MILLISECONDS = 30_000

/** Numbers of genes in single cells, from HDF5 files of the data folder (data-commons-service.md 4.4, data-commons.md 6.5). */
export class SingleCell {
  readonly #context: SingleCellContext
  readonly #caseFiles = new CaseFiles()
  readonly #genes = new OpenGenesFiles()
  readonly #keeper: GeneKeeper
  #active = 0

  constructor(context: SingleCellContext) {
    this.#context = context
    this.#keeper = new GeneKeeper(context, (id) => {
      this.#genes.forget(genePaths(context.blobs.folder, id))
    })
  }

  /**
   * The numbers of each gene in every cell of one file. The status of an answer can be decided when
   * this resolves: case, file, access, layout and the first part are in order then. The bytes are JSON
   * (data-commons-service.md 4.4).
   * @throws EngineError bad_input naming the place, also for a file that is not HDF5 or has another
   *   layout; not_found, unauthenticated, forbidden; too_large for a file of too many cells; busy,
   *   corrupt_source, unavailable also for a file in object storage without its numbers by gene
   */
  async expression(
    request: CellExpressionRequest,
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<ByteStream> {
    const geneIds = genesOf(request)
    this.#mustHavePlace()
    const stop = new AbortController()
    const stopping = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal
    this.#active++
    try {
      const { fileId, caseId } = await this.#idsOf(request, stopping)
      const file = await this.#context.hdf5(fileId, request.token)
      return await this.#answer(this.#body({ caseId, fileId, geneIds }, file, stopping), stop)
    } catch (error) {
      this.#active--
      throw error
    }
  }

  /**
   * What a file says of its cells besides numbers of genes, and of one such annotation its value for
   * each cell.
   * @throws EngineError as `expression`; bad_input also for an annotation that the file does not have
   *   or that has too many values, unavailable for a file in object storage whose annotations are not in the data folder
   */
  async annotations(
    request: CellAnnotationRequest,
    { signal = new AbortController().signal }: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<CellAnnotations> {
    mustNameOne(request)
    this.#mustHavePlace()
    const { executor, blobs } = this.#context
    this.#active++
    try {
      const { fileId, caseId } = await this.#idsOf(request, signal)
      const file = await this.#context.hdf5(fileId, request.token)
      const asked = { caseId, fileId, annotation: request.annotation }
      if (file.storage !== 'folder') return await this.#storedAnnotations(asked, file, signal)
      const state = await fileStateOf(file, blobs)
      return await cellAnnotations(asked, { state, executor, signal })
    } finally {
      this.#active--
    }
  }

  /** Of a file in object storage. */
  async #storedAnnotations(
    asked: AnnotationAsked,
    file: StoredFile,
    signal: AbortSignal,
  ): Promise<CellAnnotations> {
    const lease = await this.#genesWithAnnotations(file)
    try {
      const stored = lease?.genes.directory.annotations
      const { executor } = this.#context
      if (!lease || !stored) throw notHere(file, 'annotations of its cells')
      return await storedAnnotations(asked, lease.genes, stored, { executor, signal })
    } finally {
      lease?.release()
    }
  }

  async #genesWithAnnotations(file: StoredFile): Promise<GenesLease | undefined> {
    const lease = await this.#genesOf(file, undefined)
    if (!lease || lease.genes.directory.annotations) return lease
    // Of a former version; another process may have imported the file since this was opened.
    lease.release()
    this.#genes.forget(genePaths(this.#context.blobs.folder, file.id))
    return this.#genesOf(file, undefined)
  }

  /** @throws EngineError busy */
  #mustHavePlace(): void {
    if (this.#active < MAX_ANSWERS) return
    throw new EngineError('busy', 'too many single-cell answers are under way; try again soon')
  }

  async #answer(rest: AsyncGenerator<Uint8Array>, stop: AbortController): Promise<ByteStream> {
    const made = await wholeOrBegun(rest)
    const giveBack = () => {
      this.#active--
    }
    if (!(made instanceof Uint8Array)) {
      return generatedStream(made, { stop: () => stop.abort(), giveBack })
    }
    giveBack()
    return wholeStream(made)
  }

  /** Only what exists is asked for by its rights. */
  async #idsOf(
    { caseId, fileId }: Pick<CellExpressionRequest, 'caseId' | 'fileId'>,
    signal: AbortSignal,
  ) {
    const { current, executor } = this.#context
    const guarding = await current.leaseForGuards()
    if (!guarding && fileId !== undefined) {
      return { fileId: fileId.toLowerCase(), caseId: null }
    }
    const lease = guarding ?? current.lease()
    try {
      const context = { release: lease.release, executor, signal }
      if (fileId === undefined) {
        const id = (caseId ?? '').toLowerCase()
        return { caseId: id, fileId: await this.#caseFiles.fileOf(id, context) }
      }
      const id = fileId.toLowerCase()
      return { fileId: id, caseId: await this.#caseFiles.caseOf(id, context) }
    } catch (error) {
      throw lease.errorOf(error)
    } finally {
      lease.end()
    }
  }

  /**
   * From the numbers by gene where there are current ones, else from the file itself. Both ways give
   * the same bytes, so that where the first shows to be damaged the second goes on from there.
   */
  async *#body(
    asked: GenesAsked,
    file: StoredFile,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array> {
    const { executor } = this.#context
    const isLocal = file.storage === 'folder'
    const state = isLocal ? await fileStateOf(file, this.#context.blobs) : undefined
    const lease = await this.#genesOf(file, state)
    let sent = 0
    try {
      if (lease) {
        for await (const chunk of geneBody(asked, lease.genes, { executor, signal })) {
          sent += chunk.length
          yield chunk
        }
        return
      }
    } catch (error) {
      if (!state || !isDamage(error)) throw error
      this.#forgetDamaged(file.id, error)
    } finally {
      lease?.release()
    }
    if (!state) throw notHere(file, 'numbers by gene')
    const input = { ...state, geneIds: asked.geneIds, mostCells: MAX_CELLS }
    const matrix = await executor.run(matrixJob, input, { signal })
    this.#keeper.want(file.id, state)
    yield* without(sent, expressionBody({ ...asked, state, matrix }, { executor, signal }))
  }

  /** Current numbers by gene; those that are damaged are none, where there is the file itself. */
  async #genesOf(file: StoredFile, state: FileState | undefined): Promise<GenesLease | undefined> {
    const paths = genePaths(this.#context.blobs.folder, file.id)
    if (!state) {
      const trusted = await this.#genes.acquireTrusted(paths, OBJECT_TRUST_MILLISECONDS)
      return trusted ?? this.#genes.acquire(paths, await identityOf(file, this.#context.blobs))
    }
    try {
      return await this.#genes.acquire(paths, state.identity)
    } catch (error) {
      if (!isDamage(error)) throw error
      this.#forgetDamaged(file.id, error)
      return undefined
    }
  }

  #forgetDamaged(id: string, cause: unknown): void {
    this.#genes.forget(genePaths(this.#context.blobs.folder, id))
    this.#context.onDamaged(id, cause)
  }

  /** Closes all files; answers must have ended. */
  async close(): Promise<void> {
    await this.#genes.close()
  }
}

/** Where numbers of genes are no longer what they were, or never were. */
function isDamage(error: unknown): boolean {
  return error instanceof EngineError && ['corrupt_source', 'unavailable'].includes(error.code)
}

const notHere = ({ id }: StoredFile, what: string) =>
  new EngineError(
    'unavailable',
    `file ${id} lies in object storage and its ${what} are not in the data folder; import it again`,
  )

/** A body without its first bytes. */
async function* without(
  bytes: number,
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let left = bytes
  for await (const chunk of body) {
    const rest = chunk.subarray(left)
    left = Math.max(0, left - chunk.length)
    if (rest.length > 0) yield rest
  }
}

function mustNameOne({ caseId, fileId }: Pick<CellExpressionRequest, 'caseId' | 'fileId'>): void {
  if ((caseId === undefined) !== (fileId === undefined)) return
  const given = caseId === undefined ? 'neither case_id nor file_id is' : 'case_id and file_id are'
  throw new EngineError('bad_input', `${given} given; give one of the two`, { at: 'case_id' })
}

function genesOf(request: CellExpressionRequest): readonly string[] {
  mustNameOne(request)
  const { geneIds } = request
  if (geneIds.length === 0 || geneIds.length > MAX_GENES) {
    const message = `${geneIds.length} gene ids are given; give 1 to ${MAX_GENES}`
    throw new EngineError('bad_input', message, { at: 'gene_ids' })
  }
  if (geneIds.some((id) => id === '')) {
    throw new EngineError('bad_input', 'a gene id is empty', { at: 'gene_ids' })
  }
  return [...new Set(geneIds)]
}
