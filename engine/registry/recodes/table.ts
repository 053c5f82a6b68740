import { firstRow, RowIndex, type Value } from './row-index.ts'
import { readTable, type TableRow } from './table-text.ts'

interface TableInput {
  readonly site?: string | undefined
  readonly hist?: string | undefined
  readonly behavior?: string | undefined
  readonly year?: string | undefined
}

export type TableColumn = keyof TableInput

/** Rows of conditions, the first match of which decides (registry-lookups.md 1.3). */
export interface RecodeTable {
  /** Lines in the format of readTable. */
  readonly rows: string
  /** The inputs that the table uses. If one of them is missing, no row matches. */
  readonly columns: readonly TableColumn[]
  /**
   * How codes are compared with ranges. As numbers, C379 is 379, and an invalid code matches no row. As texts, an
   * invalid code matches every range that it sorts into.
   */
  readonly compare: 'numbers' | 'texts'
}

/**
 * Compiles a table, so that each lookup takes a fraction of a microsecond.
 * @param answerOf returns the answer for a row
 * @returns the answer of the first matching row, or undefined if none matches
 */
export function compileTable<Answer>(
  { rows: text, columns, compare }: RecodeTable,
  answerOf: (row: TableRow) => Answer,
): (input: TableInput) => Answer | undefined {
  const rows = readTable(text)
  const answers = rows.map(answerOf)
  const indexes = columns.map((column) => {
    const read = compare === 'numbers' ? READ_NUMBER[column] : readText
    const written = (word: string) => {
      const value = read(word)
      if (value === undefined) throw new Error(`"${word}" is no ${column} of a table`)
      return value
    }
    const index = new RowIndex(
      rows.map((row) => row[column]),
      written,
    )
    return { column, read, index }
  })
  return (input) => {
    const sets: Uint32Array[] = []
    for (const { column, read, index } of indexes) {
      const given = input[column]
      const value = given === undefined ? undefined : read(given)
      if (value === undefined) return undefined
      sets.push(index.rowsOf(value))
    }
    return answers[firstRow(sets)]
  }
}

type ReadValue = (text: string) => Value | undefined

const DIGITS = /^\d+$/
const SITE = /^C\d+$/

const readNumber: ReadValue = (text) => (DIGITS.test(text) ? Number(text) : undefined)
const READ_NUMBER: Readonly<Record<TableColumn, ReadValue>> = {
  site: (text) => (SITE.test(text) ? Number(text.slice(1)) : undefined),
  hist: readNumber,
  behavior: readNumber,
  year: readNumber,
}

const readText: ReadValue = (text) => (text.trim() === '' ? undefined : text)
