import { isAscii } from 'node:buffer'
import type { Job } from '../../shared/executor.ts'
import { FormatError } from '../../shared/formats/format-error.ts'
import { splitLines } from '../../shared/input/lines.ts'
import { tableRows } from '../../shared/input/table-rows.ts'
import type { DatasetName } from '../datasets/define.ts'
import { type CasesCopy, openCases } from './case-links.ts'
import { type Counted, Intake, Shapes } from './intake.ts'
import { EntryRecorder, type RecordedEntries } from './recorded-entries.ts'
import { slicesOf, type TablePiece } from './table-pieces.ts'
import { type Header, TableReading } from './table-reading.ts'
import { TABLE_KINDS } from './tables/index.ts'

export interface PieceInput extends TablePiece {
  /** Name of the table kind. */
  readonly kind: string
  readonly header: Header
  readonly hasRowNames: boolean
  readonly separator: '\t' | ','
  readonly fileName: string
  readonly as: DatasetName | undefined
  readonly cases: CasesCopy | undefined
}

export interface PieceOutput {
  readonly entries: RecordedEntries
  readonly counted: Counted
  /** Number of rows below the header. */
  readonly taken: number
  /** Line of a header with other columns, at which reading stopped. */
  readonly otherHeader: number | undefined
  /** Message of the format error that ended reading. */
  readonly broken: string | undefined
}

/** Reads a piece of an unquoted table whose rows can be read independently. */
export const pieceJob: Job<PieceInput, PieceOutput> = {
  name: 'import.piece',
  async run({ kind: name, header, separator, bytes, linesBefore, cases, ...about }, scratch) {
    const kind = TABLE_KINDS.find((each) => each.name === name)
    if (!kind) throw new Error(`there is no kind of table "${name}"`)
    const recorder = new EntryRecorder()
    // The limit of bad rows is enforced where the counts of all pieces are added up.
    const { shapes } = scratch.cached('import.shapes', () => ({ bytes: 0, shapes: new Shapes() }))
    const intake = new Intake(recorder, { maxErrors: Infinity, maxReported: Infinity, shapes })
    const known = cases && openCases(cases, scratch)
    const reading = new TableReading({ ...about, kind, cases: known }, intake, header)
    reading.isPlain = isAscii(bytes)
    const output = (end: Partial<PieceOutput>): PieceOutput => ({
      entries: recorder.entries,
      counted: intake.counted,
      taken: reading.taken,
      otherHeader: undefined,
      broken: undefined,
      ...end,
    })
    const lines = splitLines(slicesOf(bytes), undefined, linesBefore)
    try {
      for await (const rows of tableRows(lines, { separator, findQuoting: async () => 'none' })) {
        for (const row of rows) {
          if (reading.take(row) === 'other header') return output({ otherHeader: row.line })
        }
      }
    } catch (error) {
      // The class of an error is lost between threads.
      if (error instanceof FormatError) return output({ broken: error.message })
      throw error
    }
    return output({})
  },
  transfer: ({ entries }) => [entries.bytes.buffer],
}
