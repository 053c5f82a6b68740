import { BufferPool } from '../../../shared/concurrency/buffer-pool.ts'
import { inOrder } from '../../../shared/concurrency/in-order.ts'
import { Scratch } from '../../../shared/executor.ts'
import { ByteSink } from '../../../shared/formats/byte-sink.ts'
import { type TableForm, writeLine } from '../../../shared/formats/table-cells.ts'
import {
  type AskedValues,
  caseIdsOf,
  priorityOf,
  rowParts,
  type ValuesRun,
} from './asked-values.ts'
import { linesJob, writeLines } from './lines-job.ts'
import type { Matrix } from './open-matrix.ts'
import { type CellForm, mostLineBytes } from './row-writer.ts'

/** Bytes of a piece: a few milliseconds of work. */
const PIECE_BYTES = 1 << 20
/** With fewer cells, handing rows to a thread takes longer than writing them. */
const FEW_CELLS = 8192
/** Less than this is not worth a piece of its own. */
const MIN_CELLS = 16_384

/** How a table is written. */
export interface ValuesStyle {
  readonly form: CellForm
  readonly table: TableForm
}

/** Tables of expression; memory of their pieces is used again. */
export class ValuesTables {
  readonly #pool = new BufferPool(PIECE_BYTES)
  readonly #scratch = new Scratch()
  /** First lines of all cases. */
  readonly #heads = new WeakMap<Matrix, Buffer>()

  /**
   * The table of data-commons.md 6.3 in chunks, of which a few are made at a time. A chunk's memory is used
   * again when the next one is asked for.
   */
  async *chunks(
    asked: AskedValues,
    run: ValuesRun,
    { form = 'printed', table = 'tsv' }: Partial<ValuesStyle> = {},
  ): AsyncGenerator<Uint8Array, undefined> {
    const style = { form, table }
    const head = this.#headOf(asked, table)
    const cells = asked.columns.length * asked.rows.length
    if (cells > FEW_CELLS) {
      yield head
      yield* this.#pieces(asked, run, style)
      return
    }
    yield cells === 0 ? head : Buffer.concat([head, ...this.#few(asked, style)])
  }

  #headOf(asked: AskedValues, table: TableForm): Buffer {
    const { matrix, columns } = asked
    const isKept = columns.length === matrix.cases.length && table === 'tsv'
    const known = isKept ? this.#heads.get(matrix) : undefined
    if (known) return known
    const sink = new ByteSink(Buffer.allocUnsafe(1024))
    writeLine(sink, ['gene_id', ...caseIdsOf(asked)], table)
    const head = Buffer.from(sink.take())
    if (isKept) this.#heads.set(matrix, head)
    return head
  }

  /** Of all rows here and now. */
  *#few(asked: AskedValues, style: ValuesStyle): Generator<Uint8Array> {
    const { unit, matrix, columns } = asked
    const line = mostLineBytes(columns.length, { kind: matrix.kind, unit, form: style.form })
    for (const { part, names } of rowParts(asked, asked.rows.length)) {
      const bytes = names.reduce((sum, name) => sum + mostNameBytes(name), 0)
      const room = new Uint8Array(names.length * line + bytes)
      yield room.subarray(0, writeLines({ part, names, unit, ...style, room }, this.#scratch))
    }
  }

  async *#pieces(
    asked: AskedValues,
    { executor, signal }: ValuesRun,
    style: ValuesStyle,
  ): AsyncGenerator<Uint8Array, undefined> {
    const { unit, matrix, columns } = asked
    const line = mostLineBytes(columns.length, { kind: matrix.kind, unit, form: style.form })
    const longestName = asked.rows.reduce(
      (most, row) => Math.max(most, mostNameBytes(matrix.geneIds[row] ?? '')),
      0,
    )
    const parts = rowParts(asked, rowsAtATime(asked, line + longestName, executor.parallelism))
    const inUse = new Set<Buffer>()
    const start = (stop: AbortSignal) => {
      const { value } = parts.next()
      if (!value) return undefined
      const { part, names, start } = value
      const room = this.#room(names.length * (line + longestName))
      inUse.add(room)
      const options = { signal: stop, priority: priorityOf(start) }
      const input = { part, names, unit, ...style, room }
      return executor.run(linesJob, input, options).then((length) => ({ room, length }))
    }
    try {
      for await (const { room, length } of inOrder(start, {
        ahead: executor.parallelism + 1,
        signal,
      })) {
        yield room.subarray(0, length)
        inUse.delete(room)
        this.#give(room)
      }
    } finally {
      // All jobs have settled: nobody writes into them any more.
      for (const room of inUse) this.#give(room)
    }
  }

  #room(bytes: number): Buffer {
    return bytes <= PIECE_BYTES ? this.#pool.take() : Buffer.from(new SharedArrayBuffer(bytes))
  }

  #give(room: Buffer): void {
    if (room.length === PIECE_BYTES) this.#pool.give(room)
  }
}

/** With all of its quotes doubled. */
const mostNameBytes = (name: string) => 3 * name.length + 2

/** As many as a piece has room for; fewer where all threads would not have one. */
function rowsAtATime({ columns, rows }: AskedValues, line: number, threads: number): number {
  const fitting = Math.floor(PIECE_BYTES / line)
  const shared = Math.ceil(rows.length / threads)
  const least = Math.ceil(MIN_CELLS / columns.length)
  return Math.max(1, Math.min(fitting, Math.max(shared, least)))
}
