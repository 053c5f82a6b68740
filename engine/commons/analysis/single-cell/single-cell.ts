import type { StoredFile } from '../../../shared/catalogue/files.ts'
import { EngineError } from '../../../shared/errors.ts'
import {
  type ByteStream,
  generatedStream,
  wholeStream,
} from '../../../shared/streams/byte-stream.ts'
import { wholeOrBegun } from '../../search/body.ts'
import type { CurrentRelease } from '../../search/current-release.ts'
import {
  type CellAnnotations,
  cellAnnotations,
  type RequestedAnnotation,
} from './annotation-body.ts'
import { expressionBody, type RequestedGenes } from './expression-body.ts'
import { fileStateOf, identityOf } from './file-state.ts'
import { CaseFiles } from './find-file.ts'
import { geneBody } from './gene-body.ts'
import { genePaths } from './gene-file.ts'
import { GeneKeeper, type GeneKeeperContext } from './gene-keeper.ts'
import { MAX_CELLS, matrixJob } from './matrix.ts'
import type { FileState } from './open-files.ts'
import { type GenesLease, OpenGenesFiles } from './open-genes.ts'
import { storedAnnotations } from './stored-annotations.ts'

/** Request for the expression of genes in single cells. Has either the file id or the case id. */
export interface CellExpressionRequest {
  readonly caseId: string | undefined
  readonly fileId: string | undefined
  readonly geneIds: readonly string[]
  /** Secret of the client's access token. Not needed for open files. */
  readonly token: string | undefined
}

/** Request for annotations of single cells. Has either the file id or the case id. */
export interface CellAnnotationRequest
  extends Pick<CellExpressionRequest, 'caseId' | 'fileId' | 'token'> {
  /** Name of the requested annotation. Undefined requests only the list of annotations. */
  readonly annotation: string | undefined
}

interface SingleCellContext extends GeneKeeperContext {
  readonly current: CurrentRelease
  /** Returns a stored HDF5 file if the token permits reading it. */
  readonly hdf5: (fileId: string, token: string | undefined) => Promise<StoredFile>
  /** Called with a file whose copy of values sorted by gene is damaged. */
  readonly onDamaged: (fileId: string, error: unknown) => void
}

const MAX_GENES = 10
const MAX_ANSWERS = 32
/** Milliseconds for which an object is assumed unchanged. Only tampering with the bucket changes it. */
const OBJECT_TRUST_MILLISECONDS = 30_000

/**
 * Answers requests for gene expression in single cells, from HDF5 files of the data folder
 * (data-commons-service.md 4.4, data-commons.md 6.5).
 */
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
   * Returns the values of each requested gene in every cell of one file, as JSON (data-commons-service.md 4.4).
   * When the promise resolves, the request is valid and only the body remains to be sent.
   * @throws EngineError bad_input with the place of the error, also for a file that is not HDF5 or has another
   *   layout; not_found, unauthenticated, forbidden; too_large for a file with too many cells; busy,
   *   corrupt_source, unavailable, also for a file in object storage without a copy sorted by gene
   */
  async expression(
    request: CellExpressionRequest,
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<ByteStream> {
    const geneIds = genesOf(request)
    this.#requirePlace()
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
   * Returns the list of annotations of a file's cells, and for each cell the value of the requested annotation.
   * @throws EngineError like `expression`; bad_input also for an annotation that the file does not have or
   *   that has too many values, unavailable for a file in object storage whose annotations are not in the data
   *   folder
   */
  async annotations(
    request: CellAnnotationRequest,
    { signal = new AbortController().signal }: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<CellAnnotations> {
    requireOneId(request)
    this.#requirePlace()
    const { executor, blobs } = this.#context
    this.#active++
    try {
      const { fileId, caseId } = await this.#idsOf(request, signal)
      const file = await this.#context.hdf5(fileId, request.token)
      const requested = { caseId, fileId, annotation: request.annotation }
      if (file.storage !== 'folder') return await this.#storedAnnotations(requested, file, signal)
      const state = await fileStateOf(file, blobs)
      return await cellAnnotations(requested, { state, executor, signal })
    } finally {
      this.#active--
    }
  }

  /** Returns the annotations of a file in object storage, which were stored in the data folder on import. */
  async #storedAnnotations(
    requested: RequestedAnnotation,
    file: StoredFile,
    signal: AbortSignal,
  ): Promise<CellAnnotations> {
    const lease = await this.#genesWithAnnotations(file)
    try {
      const stored = lease?.genes.directory.annotations
      const { executor } = this.#context
      if (!lease || !stored) throw notHere(file, 'annotations of its cells')
      return await storedAnnotations(requested, lease.genes, stored, { executor, signal })
    } finally {
      lease?.release()
    }
  }

  async #genesWithAnnotations(file: StoredFile): Promise<GenesLease | undefined> {
    const lease = await this.#genesOf(file, undefined)
    if (!lease || lease.genes.directory.annotations) return lease
    // An earlier version wrote the directory that is open. Another process may have imported the file again, so
    // it is opened again.
    lease.release()
    this.#genes.forget(genePaths(this.#context.blobs.folder, file.id))
    return this.#genesOf(file, undefined)
  }

  /**
   * Throws if too many responses are in progress.
   * @throws EngineError busy if MAX_ANSWERS are in progress
   */
  #requirePlace(): void {
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

  /** Returns the ids of the case and the file. Unknown ids are reported before access is checked. */
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
   * Yields the response body from the copy sorted by gene if the copy is current, otherwise from the HDF5 file.
   * Both give the same bytes, so if a damaged copy fails, the HDF5 file continues.
   */
  async *#body(
    requested: RequestedGenes,
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
        for await (const chunk of geneBody(requested, lease.genes, { executor, signal })) {
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
    const input = { ...state, geneIds: requested.geneIds, mostCells: MAX_CELLS }
    const matrix = await executor.run(matrixJob, input, { signal })
    this.#keeper.want(file.id, state)
    yield* without(sent, expressionBody({ ...requested, state, matrix }, { executor, signal }))
  }

  /** Leases a current copy sorted by gene. A damaged copy counts as missing if the HDF5 file is stored here. */
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

  /** Closes all files. All responses must have ended. */
  async close(): Promise<void> {
    await this.#genes.close()
  }
}

/** Returns whether an error means that the copy sorted by gene is damaged or missing. */
function isDamage(error: unknown): boolean {
  return error instanceof EngineError && ['corrupt_source', 'unavailable'].includes(error.code)
}

const notHere = ({ id }: StoredFile, what: string) =>
  new EngineError(
    'unavailable',
    `file ${id} is in object storage and its ${what} are not in the data folder; import it again`,
  )

/** Yields a body without its first bytes. */
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

function requireOneId({ caseId, fileId }: Pick<CellExpressionRequest, 'caseId' | 'fileId'>): void {
  if ((caseId === undefined) !== (fileId === undefined)) return
  const given = caseId === undefined ? 'neither case_id nor file_id is' : 'case_id and file_id are'
  throw new EngineError('bad_input', `${given} given; give one of the two`, { at: 'case_id' })
}

function genesOf(request: CellExpressionRequest): readonly string[] {
  requireOneId(request)
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
