import type { Database, Rows, Transaction } from '../../shared/database/database.ts'
import { columnsOf, json, plain } from '../sql/columns.ts'
import { Questions } from '../sql/questions.ts'
import { insertInto } from '../sql/statements.ts'
import type { SurgeryEdition, SurgeryHead, SurgeryRow, SurgeryTable } from './model.ts'

interface StoredTable {
  /** Year from which the table is valid. */
  readonly year: number
  /** 0-based position of the table in its file. */
  readonly place: number
  /** Title in the file. */
  readonly edition: string
  readonly head: SurgeryHead
  readonly rows: readonly SurgeryRow[]
}

/** A table header with its position. */
interface PlacedHead extends SurgeryHead {
  readonly year: number
  readonly place: number
}

const TABLE = columnsOf<StoredTable>({
  year: plain('year'),
  place: plain('place'),
  edition: plain('edition'),
  head: json('head'),
  rows: json('code_rows'),
})

const ADD_TABLE = insertInto('surgery_tables', TABLE.names)

/** Selects the edition for a year: the newest edition that is not from a later year. */
const OF_YEAR = 'year = (SELECT max(year) FROM surgery_tables WHERE year <= ?)'

/** Reads the surgery tables. All SQL of this folder is here. Nothing is cached, as other processes may import. */
export class SurgeryReads {
  readonly #questions: Questions

  constructor(source: Database | Rows) {
    this.#questions = new Questions(source)
  }

  /** Returns the headers of the tables for a year, in file order. */
  async headsOf(year: number): Promise<PlacedHead[]> {
    const sql = `SELECT year, place, head FROM surgery_tables WHERE ${OF_YEAR} ORDER BY place`
    const rows = await this.#questions.all(sql, year)
    return rows.map(({ year, place, head }) => ({
      ...(JSON.parse(head as string) as SurgeryHead),
      year: year as number,
      place: place as number,
    }))
  }

  async table(year: number, place: number): Promise<SurgeryTable> {
    const sql = 'SELECT * FROM surgery_tables WHERE year = ? AND place = ?'
    const row = await this.#questions.first(sql, year, place)
    return tableOf(TABLE.read(row ?? {}))
  }

  /** Returns the first year that has tables, or undefined if no year has any. */
  async oldestYear(): Promise<number | undefined> {
    const row = await this.#questions.first('SELECT min(year) AS oldest FROM surgery_tables')
    return (row?.oldest ?? undefined) as number | undefined
  }

  /** Returns the edition of exactly this year, or undefined if there is none. */
  async edition(year: number): Promise<SurgeryEdition | undefined> {
    const sql = 'SELECT * FROM surgery_tables WHERE year = ? ORDER BY place'
    const stored = (await this.#questions.all(sql, year)).map(TABLE.read)
    const [first] = stored
    return first && { year, name: first.edition, tables: stored.map(tableOf) }
  }
}

const tableOf = ({ head, rows }: StoredTable): SurgeryTable => ({ ...head, row: rows })

/** Reads and writes within one transaction. */
export class SurgeryEdits extends SurgeryReads {
  readonly #transaction: Transaction

  constructor(transaction: Transaction) {
    super(transaction)
    this.#transaction = transaction
  }

  /** Replaces the edition of the same year. */
  async put({ year, name, tables }: SurgeryEdition): Promise<void> {
    await this.#transaction.run('DELETE FROM surgery_tables WHERE year = ?', [year])
    const rows = tables.map(({ row, ...head }, place) =>
      TABLE.values({ year, place, edition: name, head, rows: row }),
    )
    await this.#transaction.runEach(ADD_TABLE, rows)
  }
}
