import { isAscii } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import type { Executor } from '../../shared/executor.ts'
import { FormatError } from '../../shared/formats/format-error.ts'
import { splitLines, withLineFeeds } from '../../shared/input/lines.ts'
import { findQuoting, type Quoting } from '../../shared/input/quoting.ts'
import { withoutComments } from '../../shared/input/table-file.ts'
import { tableRows } from '../../shared/input/table-rows.ts'
import type { CasesCopy } from './case-links.ts'
import type { Intake } from './intake.ts'
import { type PieceInput, type PieceOutput, pieceJob } from './read-piece.ts'
import type { TableFormat } from './recognise.ts'
import { replayEntries } from './recorded-entries.ts'
import type { Staging } from './staging.ts'
import { linesFrom, slicesOf, type TablePiece, tablePieces } from './table-pieces.ts'
import { type ReadTable, TableReading } from './table-reading.ts'

export interface TableSource extends TableFormat, ReadTable {
  readonly chunks: AsyncIterable<Uint8Array>
  /** Opens the content a second time, to find out how the table is quoted. */
  readonly again: () => AsyncIterable<Uint8Array>
}

/** Destination of a table's rows, and the executor for reading its pieces. */
export interface TableTarget {
  readonly intake: Intake
  readonly staging: Staging
  readonly executor: Executor
  readonly signal?: AbortSignal | undefined
}

/**
 * Reads all rows of a table. A file may contain several tables. Each further header is counted and applies to
 * the rows below it.
 * @throws TableError if the table cannot be read, for example because it names no samples
 * @throws FormatError for a column that occurs twice with different values, or a misplaced quote
 */
export async function readTable(source: TableSource, target: TableTarget): Promise<void> {
  await new PieceReading(source, target).run()
}

/** Number of queued or running pieces per thread. */
const PIECES_AHEAD = 2
const QUOTE = 0x22

/** A piece with the pending output of its job. */
interface Ahead {
  readonly piece: TablePiece
  readonly output: Promise<PieceOutput>
}

/**
 * Reads a table piece by piece. The first piece, which has the header, is read on this thread, so that a small
 * table needs no job. If rows can be read independently, jobs read the other pieces. Their outputs are added in
 * the order of the pieces, so that the result is the same as without jobs.
 */
class PieceReading {
  readonly #source: TableSource
  readonly #target: TableTarget
  readonly #reading: TableReading
  readonly #name = randomUUID()
  readonly #ahead: Ahead[] = []
  #quoting: Quoting | undefined
  /** Copy of the cases, made on first use. */
  #cases: { readonly copy: CasesCopy | undefined } | undefined

  constructor(source: TableSource, target: TableTarget) {
    this.#source = source
    this.#target = target
    this.#reading = new TableReading(source, target.intake)
  }

  async run(): Promise<void> {
    const pieces = tablePieces(lineFed(this.#source.chunks, this.#source))
    for (let next = await this.#next(pieces); next; next = await this.#next(pieces)) {
      if (next.bytes.includes(QUOTE)) this.#quoting ??= await quotingOf(this.#source)
      const isQuoted = this.#quoting !== undefined && this.#quoting !== 'none'
      if (isQuoted) await this.#takeAll(joined(next, pieces), next.linesBefore)
      else await this.#take(next)
    }
    await this.#land()
    this.#reading.end()
  }

  /**
   * Returns the next piece. If it cannot be read, earlier pieces are processed first, because their errors come
   * first.
   */
  async #next(
    pieces: AsyncGenerator<TablePiece, void, undefined>,
  ): Promise<TablePiece | undefined> {
    try {
      const { value } = await pieces.next()
      return value ?? undefined
    } catch (error) {
      await this.#land()
      throw error
    }
  }

  async #take(piece: TablePiece): Promise<void> {
    const input = await this.#inputOf(piece)
    if (!input) {
      await this.#takePiece(piece)
      return
    }
    const { executor, signal } = this.#target
    const output = executor.run(pieceJob, input, { signal })
    // Prevents an unhandled rejection if another piece fails first. Otherwise `#land` reports the error.
    output.catch(() => undefined)
    this.#ahead.push({ piece, output })
    await this.#land(PIECES_AHEAD * executor.parallelism)
  }

  /** Returns the input of a job for a piece, or undefined if pieces cannot be read independently. */
  async #inputOf(piece: TablePiece): Promise<PieceInput | undefined> {
    const { kind, cases, separator, hasRowNames, fileName, as } = this.#source
    const header = this.#reading.onlyHeader
    if (!header || !kind.rowsStandAlone || this.#target.executor.parallelism < 2) return undefined
    this.#cases ??= { copy: await cases?.copy?.() }
    const { copy } = this.#cases
    if (cases && !copy) return undefined
    const about = { kind: kind.name, header, separator, hasRowNames, fileName, as, cases: copy }
    const { release } = this.#target.staging
    return { ...piece, ...about, release, table: this.#name }
  }

  /** Adds the outputs of jobs, oldest first, until at most this many pieces are pending. */
  async #land(most = 0): Promise<void> {
    const { intake, staging } = this.#target
    while (this.#ahead.length > most) {
      const { piece, output } = this.#ahead.shift() as Ahead
      const { counted, entries, sorted, taken, otherHeader, broken } = await output
      intake.absorb(counted)
      replayEntries(entries, staging)
      staging.putSorted(sorted)
      this.#reading.addTaken(taken)
      if (broken !== undefined) throw new FormatError(broken)
      if (otherHeader === undefined) continue
      // The pending pieces were read with the wrong header.
      const rest = [
        linesFrom(piece, otherHeader),
        ...this.#ahead.splice(0).map((each) => each.piece),
      ]
      for (const each of rest) await this.#takePiece(each)
    }
  }

  async #takePiece({ bytes, linesBefore }: TablePiece): Promise<void> {
    await this.#takeAll(slicesOf(bytes), linesBefore, isAscii(bytes))
  }

  /** Reads rows on this thread, after all pending pieces have been added. */
  async #takeAll(
    bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    linesBefore: number,
    isPlain = false,
  ): Promise<void> {
    await this.#land()
    const reading = this.#reading
    reading.isPlain = isPlain
    const lines = splitLines(bytes, undefined, linesBefore)
    const format = {
      separator: this.#source.separator,
      findQuoting: async () => this.#quoting ?? 'none',
    } as const
    const below = reading.hasBegun ? lines : withoutComments(lines)
    for await (const rows of tableRows(below, format)) for (const row of rows) reading.take(row)
  }
}

/** Yields the bytes of a piece and of all pieces after it. */
async function* joined(
  first: TablePiece,
  others: AsyncIterable<TablePiece>,
): AsyncGenerator<Uint8Array, void, undefined> {
  yield* slicesOf(first.bytes)
  for await (const { bytes } of others) yield* slicesOf(bytes)
}

async function quotingOf(source: TableSource): Promise<Quoting> {
  const { separator } = source
  // Detecting the quoting requires reading the whole table, and few comma-separated tables escape quotes with
  // backslashes.
  if (separator === ',' && !(await hasEscapedQuote(source.again()))) return 'doubled'
  const found = await findQuoting(splitLines(lineFed(source.again(), source)), separator)
  // Comma-separated tables may always be quoted.
  return found === 'none' && separator === ',' ? 'doubled' : found
}

const BACKSLASH = 0x5c

async function hasEscapedQuote(chunks: AsyncIterable<Uint8Array>): Promise<boolean> {
  let last: number | undefined
  for await (const chunk of chunks) {
    if (last === BACKSLASH && chunk[0] === QUOTE) return true
    if (Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).includes('\\"')) return true
    last = chunk.at(-1)
  }
  return false
}

const lineFed = (bytes: AsyncIterable<Uint8Array>, { lineEnd }: TableFormat) =>
  lineEnd === '\r' ? withLineFeeds(bytes) : bytes
