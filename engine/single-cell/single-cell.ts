import type { BlobStores } from '../blobs/blob-stores.ts'
import { mustBeAsStored } from '../download/stored-bytes.ts'
import { EngineError } from '../errors.ts'
import type { Executor } from '../executor.ts'
import { wholeOrBegun } from '../search/body.ts'
import type { CurrentRelease } from '../search/current-release.ts'
import type { StoredFile } from '../store/files.ts'
import { expressionBody } from './expression-body.ts'
import { CaseFiles } from './find-file.ts'
import { MOST_CELLS, matrixJob } from './matrix.ts'
import type { FileState } from './open-files.ts'

/** Exactly one of the two ids. */
export interface CellExpressionRequest {
  readonly caseId: string | undefined
  readonly fileId: string | undefined
  /** One to ten; repeats do not count. */
  readonly geneIds: readonly string[]
  /** The token's secret as it was sent; open files never look at it. */
  readonly token: string | undefined
}

export interface CellExpression {
  /** JSON (001 4.4). */
  readonly body: AsyncIterable<Uint8Array>
  /** Bytes of the body, where they are known. */
  readonly length: number | undefined
  /** Stops what is under way; again does no harm. */
  close(): Promise<void>
}

export interface SingleCellContext {
  readonly current: CurrentRelease
  readonly blobs: BlobStores
  readonly executor: Executor
  /** The stored file, for who may read it. */
  readonly hdf5: (fileId: string, token: string | undefined) => Promise<StoredFile>
}

const MOST_GENES = 10
const MOST_ANSWERS = 32

/** Numbers of genes in single cells, from HDF5 files of the data folder (001 4.4, contract 6.5). */
export class SingleCell {
  readonly #context: SingleCellContext
  readonly #caseFiles = new CaseFiles()
  #active = 0

  constructor(context: SingleCellContext) {
    this.#context = context
  }

  /**
   * The numbers of each gene in every cell of one file. The status of an answer can be decided when
   * this resolves: case, file, access, layout and the first part are in order then.
   * @throws EngineError bad_input naming the place, also for a file that is not HDF5 or has another
   *   layout; not_found, unauthenticated, forbidden; too_large for a file of too many cells; busy,
   *   corrupt_source, unavailable for a file in object storage
   */
  async expression(
    request: CellExpressionRequest,
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<CellExpression> {
    const geneIds = genesOf(request)
    if (this.#active >= MOST_ANSWERS) {
      throw new EngineError('busy', 'too many single-cell answers are under way; try again soon')
    }
    const stop = new AbortController()
    const stopping = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal
    this.#active++
    try {
      const { fileId, caseId } = await this.#idsOf(request, stopping)
      const state = await this.#stateOf(await this.#context.hdf5(fileId, request.token))
      const { executor } = this.#context
      const asked = { ...state, geneIds, mostCells: MOST_CELLS }
      const matrix = await executor.run(matrixJob, asked, { signal: stopping })
      const expression = { state, matrix, caseId, fileId, geneIds }
      return await this.#answer(expressionBody(expression, { executor, signal: stopping }), stop)
    } catch (error) {
      this.#active--
      throw error
    }
  }

  async #answer(rest: AsyncGenerator<Uint8Array>, stop: AbortController): Promise<CellExpression> {
    const begun = await wholeOrBegun(rest)
    let ended = false
    const end = async () => {
      if (ended) return
      ended = true
      await rest.return(undefined).finally(() => this.#active--)
    }
    const close = () => {
      stop.abort()
      return end()
    }
    if (begun instanceof Uint8Array) return { body: chunks([begun]), length: begun.length, close }
    return { body: chunks(begun.taken, begun.rest), length: undefined, close }
  }

  /** Only what exists is asked for by its rights. */
  async #idsOf({ caseId, fileId }: CellExpressionRequest, signal: AbortSignal) {
    const { current, executor } = this.#context
    if (!current.release && fileId !== undefined) {
      return { fileId: fileId.toLowerCase(), caseId: null }
    }
    const lease = current.lease()
    try {
      const context = { release: lease.release, executor, signal }
      if (fileId === undefined) {
        const id = (caseId ?? '').toLowerCase()
        return { caseId: id, fileId: await this.#caseFiles.fileOf(id, context) }
      }
      const id = fileId.toLowerCase()
      return { fileId: id, caseId: await this.#caseFiles.caseOf(id, context) }
    } finally {
      lease.end()
    }
  }

  async #stateOf(file: StoredFile): Promise<FileState> {
    const { id, fileName, storage } = file
    const { folder } = this.#context.blobs
    if (storage !== 'folder') {
      throw new EngineError(
        'unavailable',
        `file ${id} lies in object storage; single-cell files can be read from the data folder alone`,
      )
    }
    const key = { id, name: fileName }
    const identity = await folder.identity(key)
    if (!identity) throw new EngineError('unavailable', 'stored file cannot be opened')
    mustBeAsStored(file, identity)
    return { path: folder.path(key), identity }
  }
}

function genesOf({ caseId, fileId, geneIds }: CellExpressionRequest): readonly string[] {
  if ((caseId === undefined) === (fileId === undefined)) {
    const given =
      caseId === undefined ? 'neither case_id nor file_id is' : 'case_id and file_id are'
    throw new EngineError('bad_input', `${given} given; give one of the two`, { at: 'case_id' })
  }
  if (geneIds.length === 0 || geneIds.length > MOST_GENES) {
    const message = `${geneIds.length} gene ids are given; give 1 to ${MOST_GENES}`
    throw new EngineError('bad_input', message, { at: 'gene_ids' })
  }
  if (geneIds.some((id) => id === '')) {
    throw new EngineError('bad_input', 'a gene id is empty', { at: 'gene_ids' })
  }
  return [...new Set(geneIds)]
}

async function* chunks(taken: readonly Uint8Array[], rest?: AsyncIterable<Uint8Array>) {
  yield* taken
  if (rest) yield* rest
}
