import { headerOf, type MadeTable, rowsOf } from '../../../../../fixtures/tables/made-table.ts'
import type { Cells } from './tables.ts'

/** A way in which spreadsheets and people change the numbers of a table. */
interface Habit {
  readonly name: string
  applyTo(table: MadeTable): Cells
}

/** Changes cells that hold whole numbers. */
const ofNumbers = (name: string, change: (text: string) => string): Habit => ({
  name,
  applyTo(table) {
    const rows = [...rowsOf(table)].map((cells) =>
      cells.map((text) => (/^-?\d{1,15}$/.test(text) ? change(text) : text)),
    )
    return { fileName: table.fileName, rows: [headerOf(table), ...rows] }
  },
})

export const HABITS: readonly Habit[] = [
  ofNumbers('as a column with gaps has them in pandas (512.0)', (text) => `${text}.0`),
  ofNumbers('as Excel shortens them (1E5)', (text) => {
    return Number(text).toExponential().replace('e+', 'E')
  }),
  ofNumbers('with separators of thousands (22,280)', (text) => {
    return Number(text).toLocaleString('en')
  }),
  ofNumbers('of people above an age (>89)', (text) => (Number(text) > 89 ? `>${text}` : text)),
]
