import { inOrder } from '../../../shared/concurrency/in-order.ts'
import type { Executor } from '../../../shared/executor.ts'
import { type CellNames, cellNamesJob } from './cell-names.ts'
import { cellsJob } from './cells.ts'
import { elementEnd, elementStart } from './element.ts'
import type { SparseLayout } from './layout.ts'
import type { Matrix } from './matrix.ts'
import type { FileState } from './open-files.ts'
import { scanJob, spansOf } from './scan.ts'

/** File and genes that a response is made for. */
export interface RequestedGenes {
  readonly caseId: string | null
  readonly fileId: string
  readonly geneIds: readonly string[]
}

interface Expression extends RequestedGenes {
  readonly state: FileState
  readonly matrix: Matrix
}

export interface BodyRun {
  readonly executor: Executor
  readonly signal: AbortSignal
}

/** Number of cells per job. A job takes a few milliseconds and writes 0.7 MB. */
const CHUNK_CELLS = 16_384
/** Memory in bytes for values of requested genes. If they do not fit, a sparse matrix is scanned again. */
const VALUE_BYTES = 32 << 20
/** Job priority of all chunks after the first, so that small responses overtake large ones. */
const LATER_PRIORITY = 1
/** Minimum size of a chunk in bytes. Smaller ones are sent together. */
const CHUNK_BYTES = 256 << 10

/** Yields the response body (data-commons.md 6.5) in chunks, several of which are made in parallel. */
export async function* expressionBody(
  expression: Expression,
  run: BodyRun,
): AsyncGenerator<Uint8Array> {
  let waiting: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of chunks(expression, run)) {
    waiting.push(chunk)
    bytes += chunk.length
    if (bytes < CHUNK_BYTES) continue
    yield Buffer.concat(waiting, bytes)
    waiting = []
    bytes = 0
  }
  yield Buffer.concat(waiting, bytes)
}

async function* chunks(expression: Expression, run: BodyRun): AsyncGenerator<Uint8Array> {
  const { matrix, caseId, fileId, geneIds } = expression
  const names = new Names(expression, run)
  const values = new SparseValues(expression, run)
  yield Buffer.from('{"data":[')
  for (const [i, geneId] of geneIds.entries()) {
    yield Buffer.from(`${i > 0 ? ',' : ''}${elementStart({ caseId, fileId, geneId })}`)
    const row = matrix.rows[i]
    if (row !== undefined) yield* cellChunks(expression, row, { ...run, names, values })
    yield Buffer.from(elementEnd(geneId, row !== undefined))
  }
  yield Buffer.from(']}')
}

async function* cellChunks(
  { state, matrix: { layout } }: Expression,
  row: number,
  { executor, signal, names, values }: BodyRun & { readonly names: Names; values: SparseValues },
): AsyncGenerator<Uint8Array> {
  const { kind, cells } = layout
  const numbers = kind === 'sparse' ? await values.of(row, layout) : undefined
  let next = 0
  const start = (stop: AbortSignal) => {
    if (next >= cells) return undefined
    const span = { start: next, end: Math.min(next + CHUNK_CELLS, cells) }
    const priority = span.start > 0 ? LATER_PRIORITY : 0
    next = span.end
    return names.of(span.start, span.end).then((named) => {
      const values = numbers?.subarray(span.start, span.end) ?? row
      const input = { ...state, ...span, names: named, values }
      return executor.run(cellsJob, input, { signal: stop, priority })
    })
  }
  let isFirst = true
  for await (const chunk of inOrder(start, { ahead: executor.parallelism + 1, signal })) {
    if (!isFirst) yield Buffer.from(',')
    isFirst = false
    yield chunk
  }
}

/** Maximum size of cached cell names in bytes. If there are more, the others are read again for each gene. */
const NAME_BYTES = 64 << 20

/** Names of cells by range. They are read for the first gene and cached for the other genes. */
class Names {
  #kept = 0
  readonly #expression: Expression
  readonly #run: BodyRun
  readonly #read = new Map<number, Promise<CellNames>>()

  constructor(expression: Expression, run: BodyRun) {
    this.#expression = expression
    this.#run = run
  }

  of(start: number, end: number): Promise<CellNames> {
    const { state, matrix } = this.#expression
    const { executor, signal } = this.#run
    const input = { ...state, cellsPath: matrix.layout.cellsPath, start, end }
    const known = this.#read.get(start)
    if (known) return known
    const read = executor.run(cellNamesJob, input, { signal })
    this.#read.set(start, read)
    return read.then((names) => {
      this.#kept += names.bytes.length
      if (this.#kept > NAME_BYTES) {
        this.#kept -= names.bytes.length
        this.#read.delete(start)
      }
      return names
    })
  }
}

/** Values of the requested genes from a sparse matrix. Reads as many genes at a time as fit in memory. */
class SparseValues {
  readonly #expression: Expression
  readonly #run: BodyRun
  /** Arrays with the values of the loaded genes. They are reused for the next genes. */
  #values: readonly Float64Array[] = []
  #rows: readonly number[] = []

  constructor(expression: Expression, run: BodyRun) {
    this.#expression = expression
    this.#run = run
  }

  /** Returns the values of a gene. Request genes in order, since earlier genes are discarded. */
  async of(row: number, layout: SparseLayout): Promise<Float64Array | undefined> {
    if (!this.#rows.includes(row)) {
      const { cells } = layout
      const rows = [...new Set(this.#expression.matrix.rows.filter((one) => one !== undefined))]
      const most = Math.max(1, Math.floor(VALUE_BYTES / (8 * Math.max(cells, 1))))
      const from = rows.indexOf(row)
      this.#rows = rows.slice(from, from + most)
      this.#values = this.#rows.map(
        (_, i) => this.#values[i]?.fill(0) ?? new Float64Array(new SharedArrayBuffer(8 * cells)),
      )
      await this.#scan(layout, this.#rows, this.#values)
    }
    return this.#values[this.#rows.indexOf(row)]
  }

  async #scan(layout: SparseLayout, rows: readonly number[], values: readonly Float64Array[]) {
    const { state, matrix } = this.#expression
    const { executor, signal } = this.#run
    const starts = matrix.starts ?? new Float64Array(1)
    const extents = spansOf(layout, rows, starts)
    const start = (stop: AbortSignal) => {
      const { value: extent } = extents.next()
      if (!extent) return undefined
      const input = { ...state, ...extent, layout, rows, starts, values }
      return executor.run(scanJob, input, { signal: stop, priority: LATER_PRIORITY })
    }
    const scanned = inOrder(start, { ahead: executor.parallelism + 1, signal })
    while (!(await scanned.next()).done);
  }
}
