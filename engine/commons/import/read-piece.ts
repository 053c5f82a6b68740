import { isAscii } from 'node:buffer'
import type { Job } from '../../shared/executor.ts'
import { FormatError } from '../../shared/formats/format-error.ts'
import { splitLines } from '../../shared/input/lines.ts'
import { tableRows } from '../../shared/input/table-rows.ts'
import type { DatasetName } from '../datasets/define.ts'
import { type CasesCopy, openCases } from './case-links.ts'
import { type Counted, Intake, Shapes } from './intake.ts'
import { PartSorter, type SortedParts } from './part-sorter.ts'
import { EntryRecorder, type RecordedEntries } from './recorded-entries.ts'
import { TablePatients } from './specimens.ts'
import { slicesOf, type TablePiece } from './table-pieces.ts'
import { type Header, TableReading } from './table-reading.ts'
import { TABLE_KINDS } from './tables/index.ts'
import { TextBytes } from './text-bytes.ts'

export interface PieceInput extends TablePiece {
  /** Name of the table kind. */
  readonly kind: string
  readonly header: Header
  readonly hasRowNames: boolean
  readonly separator: '\t' | ','
  readonly fileName: string
  /** Dataset of the rows if the table is a search result, as given on the command line. */
  readonly as: DatasetName | undefined
  readonly cases: CasesCopy | undefined
  /** Number of the release being made. */
  readonly release: string | undefined
  /** Differs between all tables that are read, so that a thread can remember what it read of this one. */
  readonly table: string
}

export interface PieceOutput {
  readonly entries: RecordedEntries
  readonly sorted: SortedParts
  readonly counted: Counted
  /** Number of rows below the header. */
  readonly taken: number
  /** Number of the line with a header that has other columns, where reading stopped. Undefined if there was none. */
  readonly otherHeader: number | undefined
  /** Message of the format error that ended reading. */
  readonly broken: string | undefined
}

/** Number of bytes that a table's patients take, about. */
const PATIENTS_BYTES = 4 << 20

/** Initial size of a thread's buffers for texts. */
const FIRST_BYTES = 1 << 20

const textBuffers = () => ({
  bytes: 2 * FIRST_BYTES,
  ofEntries: new TextBytes(FIRST_BYTES),
  ofParts: new TextBytes(FIRST_BYTES),
})

// Patients of earlier pieces need not be staged again, because all pieces belong to the same release.
const tablePatients = () => ({ bytes: PATIENTS_BYTES, patients: new TablePatients() })

/** Reads a piece of an unquoted table whose rows can be read independently. */
export const pieceJob: Job<PieceInput, PieceOutput> = {
  name: 'import.piece',
  async run(
    { kind: name, header, separator, bytes, linesBefore, cases, table, release, ...about },
    scratch,
  ) {
    const kind = TABLE_KINDS.find((each) => each.name === name)
    if (!kind) throw new Error(`there is no kind of table "${name}"`)
    const { ofEntries, ofParts } = scratch.cached('import.texts', textBuffers)
    for (const texts of [ofEntries, ofParts]) texts.clear()
    const sorter = new PartSorter(ofParts)
    const recorder = new EntryRecorder(ofEntries, sorter, release)
    // The limit of bad rows is enforced where the counts of all pieces are added up.
    const { shapes } = scratch.cached('import.shapes', () => ({ bytes: 0, shapes: new Shapes() }))
    const intake = new Intake(recorder, { maxErrors: Infinity, maxReported: Infinity, shapes })
    const known = cases && openCases(cases, scratch)
    const { patients } = scratch.cached(`import.patients ${table}`, tablePatients)
    const reading = new TableReading({ ...about, kind, cases: known, patients }, intake, header)
    reading.isPlain = isAscii(bytes)
    const output = (end: Partial<PieceOutput>): PieceOutput => ({
      entries: recorder.entries,
      sorted: sorter.sorted,
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
  transfer: ({ entries, sorted }) => [entries.bytes.buffer, sorted.bytes.buffer],
}
