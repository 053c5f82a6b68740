import { type BufferLease, BufferPool } from '../../../shared/concurrency/buffer-pool.ts'
import { leasedChunks } from '../../../shared/concurrency/leased-chunks.ts'
import { Scratch } from '../../../shared/executor.ts'
import { ByteSink } from '../../../shared/formats/byte-sink.ts'
import { type TableForm, writeLine } from '../../../shared/formats/table-cells.ts'
import { linesJob, writeLines } from './lines-job.ts'
import type { MatrixPart } from './matrix-part.ts'
import type { Matrix } from './open-matrix.ts'
import {
  caseIdsOf,
  priorityOf,
  type RequestedValues,
  rowParts,
  type ValuesRun,
} from './requested-values.ts'
import { type CellForm, mostLineBytes } from './row-writer.ts'

/** Size of a chunk in bytes. Writing a chunk takes a few milliseconds. */
const CHUNK_BYTES = 1 << 20
/** Maximum number of cells that are written on the calling thread, where starting a job would take longer. */
const FEW_CELLS = 8192
/** Minimum number of cells per chunk. */
const MIN_CELLS = 16_384

/** Format of the numbers and separators of a table. */
interface ValuesStyle {
  readonly form: CellForm
  readonly table: TableForm
}

/** Writes tables of expression values. All requests share one instance, so that they share its buffers. */
export class ValuesTables {
  readonly #pool = new BufferPool(CHUNK_BYTES)
  readonly #scratch = new Scratch()
  /** Header lines of tables with all cases of a matrix, cached. */
  readonly #heads = new WeakMap<Matrix, Buffer>()

  /**
   * Yields the chunks of a table (data-commons.md 6.3). Several chunks are written in parallel. The memory of a
   * chunk is reused when the next chunk is requested.
   */
  async *chunks(
    requested: RequestedValues,
    run: ValuesRun,
    { form = 'printed', table = 'tsv' }: Partial<ValuesStyle> = {},
  ): AsyncGenerator<Uint8Array, undefined> {
    const style = { form, table }
    const head = this.#headOf(requested, table)
    const cells = requested.columns.length * requested.rows.length
    if (cells > FEW_CELLS) {
      yield head
      yield* this.#chunks(requested, run, style)
      return
    }
    yield cells === 0 ? head : Buffer.concat([head, ...(await this.#few(requested, run, style))])
  }

  #headOf(requested: RequestedValues, table: TableForm): Buffer {
    const { matrix, columns } = requested
    const isCached = columns.length === matrix.cases.length && table === 'tsv'
    const known = isCached ? this.#heads.get(matrix) : undefined
    if (known) return known
    const sink = new ByteSink(Buffer.allocUnsafe(1024))
    writeLine(sink, ['gene_id', ...caseIdsOf(requested)], table)
    const head = Buffer.from(sink.take())
    if (isCached) this.#heads.set(matrix, head)
    return head
  }

  /** Writes all rows on the calling thread. */
  async #few(requested: RequestedValues, { signal }: ValuesRun, style: ValuesStyle) {
    const { unit, matrix, columns } = requested
    const lines: Uint8Array[] = []
    const line = mostLineBytes(columns.length, { kind: matrix.kind, unit, form: style.form })
    for (const { names, use } of rowParts(requested, requested.rows.length)) {
      const bytes = names.reduce((sum, name) => sum + mostNameBytes(name), 0)
      const target = new Uint8Array(names.length * line + bytes)
      const write = (part: MatrixPart) =>
        writeLines({ part, names, unit, ...style, target }, this.#scratch)
      lines.push(target.subarray(0, await use(signal, write)))
    }
    return lines
  }

  async *#chunks(
    requested: RequestedValues,
    { executor, signal }: ValuesRun,
    style: ValuesStyle,
  ): AsyncGenerator<Uint8Array, undefined> {
    const { unit, matrix, columns } = requested
    const line = mostLineBytes(columns.length, { kind: matrix.kind, unit, form: style.form })
    const longestName = requested.rows.reduce(
      (most, row) => Math.max(most, mostNameBytes(matrix.geneIds[row] ?? '')),
      0,
    )
    const lineBytes = line + longestName
    const parts = rowParts(requested, rowsAtATime(requested, lineBytes, executor.parallelism))
    // A line with 100,000 cases is longer than CHUNK_BYTES.
    const pool = lineBytes <= CHUNK_BYTES ? this.#pool : new BufferPool(lineBytes)
    const start = (stop: AbortSignal, buffers: BufferLease) => {
      const { value } = parts.next()
      if (!value) return undefined
      const { names, start: firstRow, use } = value
      const target = buffers.take()
      const options = { signal: stop, priority: priorityOf(firstRow) }
      return use(stop, async (part) => {
        const input = { part, names, unit, ...style, target }
        return { chunk: target.subarray(0, await executor.run(linesJob, input, options)), target }
      })
    }
    yield* leasedChunks(pool, start, { ahead: executor.parallelism + 1, signal })
  }
}

/** Returns the maximum length in bytes of a gene name in the output, with all quotes doubled. */
const mostNameBytes = (name: string) => 3 * name.length + 2

/** Returns the number of rows per chunk: as many as fit, or fewer so that each thread has work. */
function rowsAtATime({ columns, rows }: RequestedValues, line: number, threads: number): number {
  const fitting = Math.floor(CHUNK_BYTES / line)
  const shared = Math.ceil(rows.length / threads)
  const least = Math.ceil(MIN_CELLS / columns.length)
  return Math.max(1, Math.min(fitting, Math.max(shared, least)))
}
