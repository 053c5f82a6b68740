import { EngineError } from '../errors.ts'
import type { Database, Dialect, Rows } from './database.ts'
import type { SessionDatabase } from './session-database.ts'

/**
 * A text of statements, with macros for what the dialects write differently: see MACROS. An additive one
 * leaves whoever does not know it right in what they read and write: new tables, indexes, and columns
 * that need no value.
 */
export type Step = string | { readonly additive: string }

/**
 * A set of tables and their history, oldest step first. A step that has been released is never
 * edited: a change is a new step at the end.
 */
export interface TableSet {
  readonly name: string
  readonly steps: readonly Step[]
}

/** What differs, by its name in braces. Texts compare by their bytes in both. */
const MACROS: Readonly<Record<string, Readonly<Record<Dialect, string>>>> = {
  '{text}': { sqlite: 'TEXT', postgresql: 'TEXT COLLATE "C"' },
  '{integer}': { sqlite: 'INTEGER', postgresql: 'BIGINT' },
  '{real}': { sqlite: 'REAL', postgresql: 'DOUBLE PRECISION' },
  '{bytes}': { sqlite: 'BLOB', postgresql: 'BYTEA' },
  // A column of numbers that are given by the database, never twice.
  '{numbered}': {
    sqlite: 'INTEGER PRIMARY KEY AUTOINCREMENT',
    postgresql: 'BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY',
  },
  // After the closing parenthesis of a table; the second for one whose key is no number.
  '{strict}': { sqlite: 'STRICT', postgresql: '' },
  '{strict by key}': { sqlite: 'STRICT, WITHOUT ROWID', postgresql: '' },
}

/** The text of a step in a dialect. */
export function inDialect(step: Step, dialect: Dialect): string {
  const text = typeof step === 'string' ? step : step.additive
  return text.replace(/\{[a-z ]+\}/g, (name) => {
    const macro = MACROS[name]
    if (!macro) throw new Error(`${name} is no macro; there are ${Object.keys(MACROS).join(', ')}`)
    return macro[dialect]
  })
}

/** How many steps each table set has had; also what writers of PostgreSQL lock. */
export const LEDGER = `
  CREATE TABLE IF NOT EXISTS schema_steps (
    room {text} PRIMARY KEY,
    steps {integer} NOT NULL,
    -- How many of them have to be known: all up to the last that is not additive.
    needed {integer}
  ) {strict by key}`

const ADD_NEEDED = 'ALTER TABLE schema_steps ADD COLUMN needed {integer}'

/** The ledger's columns; none where there is no ledger. */
const LEDGER_COLUMNS: Readonly<Record<Dialect, string>> = {
  sqlite: "SELECT name FROM pragma_table_info('schema_steps')",
  postgresql: `SELECT attname AS name FROM pg_attribute
    WHERE attrelid = to_regclass('schema_steps') AND attnum > 0 AND NOT attisdropped`,
}

/** Steps that a table set has not had. */
export interface PendingSteps {
  readonly tableSet: TableSet
  /** How many it has had. */
  readonly had: number
}

/**
 * Brings all rooms to their last step, in one transaction: of several processes the first does it.
 * @returns what was done
 * @throws EngineError `unavailable` when the database was written by a newer version, unless all that it
 *   has done besides is additive
 */
export async function migrate(
  database: SessionDatabase,
  tableSets: readonly TableSet[],
): Promise<readonly PendingSteps[]> {
  let done: readonly PendingSteps[] = []
  await database.changeSchema(async (transaction, script) => {
    const ledger = await readLedger(transaction, database.dialect)
    done = pendingOf(ledger, tableSets)
    if (done.length === 0) return
    if (!ledger.hasNeeded) await script(inDialect(ADD_NEEDED, database.dialect))
    for (const { tableSet, had } of done) {
      const { name, steps } = tableSet
      for (const step of steps.slice(had)) await script(inDialect(step, database.dialect))
      const record = `INSERT INTO schema_steps (room, steps, needed) VALUES (?, ?, ?)
        ON CONFLICT (room) DO UPDATE SET steps = excluded.steps, needed = excluded.needed`
      await transaction.run(record, [name, steps.length, neededOf(tableSet)])
    }
  })
  return done
}

/**
 * What `migrate` would do.
 * @throws EngineError as migrate
 */
export async function pendingSteps(
  database: Database,
  tableSets: readonly TableSet[],
): Promise<readonly PendingSteps[]> {
  return database.read(async (rows) =>
    pendingOf(await readLedger(rows, database.dialect), tableSets),
  )
}

/** How many steps a program has to know to use what has had all of them. */
function neededOf({ steps }: TableSet): number {
  return steps.findLastIndex((step) => typeof step === 'string') + 1
}

interface LedgerRow {
  readonly room: string
  readonly steps: number
  readonly needed: number
}

interface Ledger {
  readonly rows: readonly LedgerRow[]
  readonly hasNeeded: boolean
}

async function readLedger(rows: Rows, dialect: Dialect): Promise<Ledger> {
  const columns = await rows.all<{ readonly name: string }>(LEDGER_COLUMNS[dialect])
  if (columns.length === 0) return { rows: [], hasNeeded: false }
  // Versions before the column was there knew no additive steps.
  const hasNeeded = columns.some(({ name }) => name === 'needed')
  const needed = hasNeeded ? 'coalesce(needed, steps)' : 'steps'
  const sql = `SELECT room, steps, ${needed} AS needed FROM schema_steps`
  return { rows: await rows.all<LedgerRow>(sql), hasNeeded }
}

function pendingOf({ rows }: Ledger, tableSets: readonly TableSet[]): readonly PendingSteps[] {
  const known = new Map(tableSets.map((room) => [room.name, room.steps.length]))
  const newer = rows.find(({ room, needed }) => needed > (known.get(room) ?? 0))
  if (newer) {
    throw new EngineError(
      'unavailable',
      `the database has step ${newer.needed} of "${newer.room}", written by a newer casemill; this one knows ${known.get(newer.room) ?? 'none'}`,
    )
  }
  const had = new Map(rows.map(({ room, steps }) => [room, steps]))
  return tableSets
    .map((tableSet) => ({ tableSet, had: had.get(tableSet.name) ?? 0 }))
    .filter(({ tableSet, had }) => had < tableSet.steps.length)
}
