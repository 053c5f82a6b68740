import { BufferPool } from '../../../shared/concurrency/buffer-pool.ts'
import { inOrder } from '../../../shared/concurrency/in-order.ts'
import { Scratch } from '../../../shared/executor.ts'
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
    form: CellForm = 'printed',
  ): AsyncGenerator<Uint8Array, undefined> {
    const head = this.#headOf(asked)
    const cells = asked.columns.length * asked.rows.length
    if (cells > FEW_CELLS) {
      yield head
      yield* this.#pieces(asked, run, form)
      return
    }
    yield cells === 0 ? head : Buffer.concat([head, ...this.#few(asked, form)])
  }

  #headOf(asked: AskedValues): Buffer {
    const { matrix, columns } = asked
    const isAll = columns.length === matrix.cases.length
    const known = isAll ? this.#heads.get(matrix) : undefined
    const head = known ?? Buffer.from(`${['gene_id', ...caseIdsOf(asked)].join('\t')}\n`)
    if (isAll) this.#heads.set(matrix, head)
    return head
  }

  /** Of all rows here and now. */
  *#few(asked: AskedValues, form: CellForm): Generator<Uint8Array> {
    const { unit, matrix, columns } = asked
    const line = mostLineBytes(columns.length, { kind: matrix.kind, unit, form })
    for (const { part, names } of rowParts(asked, asked.rows.length)) {
      const room = new Uint8Array(names.length * line + namesBytes(names))
      yield room.subarray(0, writeLines({ part, names, unit, form, room }, this.#scratch))
    }
  }

  async *#pieces(
    asked: AskedValues,
    { executor, signal }: ValuesRun,
    form: CellForm,
  ): AsyncGenerator<Uint8Array, undefined> {
    const { unit, matrix, columns } = asked
    const line = mostLineBytes(columns.length, { kind: matrix.kind, unit, form })
    const longestName = asked.rows.reduce(
      (most, row) => Math.max(most, 3 * (matrix.geneIds[row]?.length ?? 0)),
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
      const input = { part, names, unit, form, room }
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

const namesBytes = (names: readonly string[]) =>
  names.reduce((sum, name) => sum + 3 * name.length, 0)

/** As many as a piece has room for; fewer where all threads would not have one. */
function rowsAtATime({ columns, rows }: AskedValues, line: number, threads: number): number {
  const fitting = Math.floor(PIECE_BYTES / line)
  const shared = Math.ceil(rows.length / threads)
  const least = Math.ceil(MIN_CELLS / columns.length)
  return Math.max(1, Math.min(fitting, Math.max(shared, least)))
}
