import { EngineError } from '../errors.ts'
import type { Database, Dialect, Rows } from './database.ts'
import type { SessionDatabase } from './session-database.ts'

/**
 * SQL of one schema change, with macros for the differences between dialects: see MACROS. An additive step
 * keeps older programs correct: it only adds tables, indexes and optional columns.
 */
export type Step = string | { readonly additive: string }

/** A set of tables with their schema steps, oldest first. Never edit a released step: add a new one at the end. */
export interface TableSet {
  readonly name: string
  readonly steps: readonly Step[]
}

/** SQL for each macro in each dialect. Both dialects compare texts by their bytes. */
const MACROS: Readonly<Record<string, Readonly<Record<Dialect, string>>>> = {
  '{text}': { sqlite: 'TEXT', postgresql: 'TEXT COLLATE "C"' },
  '{integer}': { sqlite: 'INTEGER', postgresql: 'BIGINT' },
  '{real}': { sqlite: 'REAL', postgresql: 'DOUBLE PRECISION' },
  '{bytes}': { sqlite: 'BLOB', postgresql: 'BYTEA' },
  // An integer key that the database assigns and never reuses.
  '{numbered}': {
    sqlite: 'INTEGER PRIMARY KEY AUTOINCREMENT',
    postgresql: 'BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY',
  },
  // Suffixes of CREATE TABLE. The second is for a table whose key is not an integer.
  '{strict}': { sqlite: 'STRICT', postgresql: '' },
  '{strict by key}': { sqlite: 'STRICT, WITHOUT ROWID', postgresql: '' },
}

/** Returns the SQL of a step in a dialect. */
export function inDialect(step: Step, dialect: Dialect): string {
  const text = typeof step === 'string' ? step : step.additive
  return text.replace(/\{[a-z ]+\}/g, (name) => {
    const macro = MACROS[name]
    if (!macro) throw new Error(`${name} is no macro; there are ${Object.keys(MACROS).join(', ')}`)
    return macro[dialect]
  })
}

/**
 * Table of the steps that were applied to each table set. In PostgreSQL, every write transaction also locks it,
 * so that there is one writer at a time (postgresql/session.ts).
 */
export const LEDGER = `
  CREATE TABLE IF NOT EXISTS schema_steps (
    -- Name of the table set.
    room {text} PRIMARY KEY,
    steps {integer} NOT NULL,
    -- How many of them a program must know to use the database: all up to the last that is not additive.
    needed {integer}
  ) {strict by key}`

const ADD_NEEDED = 'ALTER TABLE schema_steps ADD COLUMN needed {integer}'

/** Query for the names of the ledger's columns. It returns no rows if there is no ledger. */
const LEDGER_COLUMNS: Readonly<Record<Dialect, string>> = {
  sqlite: "SELECT name FROM pragma_table_info('schema_steps')",
  postgresql: `SELECT attname AS name FROM pg_attribute
    WHERE attrelid = to_regclass('schema_steps') AND attnum > 0 AND NOT attisdropped`,
}

/** A table set that has not had all its steps. */
export interface PendingSteps {
  readonly tableSet: TableSet
  /** Number of steps that were applied. */
  readonly had: number
}

/**
 * Applies all pending steps in one transaction. If several processes start at once, the first one applies them,
 * and the others wait and then find none. The ledger must exist: openDatabase creates it.
 * @returns the table sets that were changed
 * @throws EngineError `unavailable` if a newer version wrote the database and not all of its further steps are
 *   additive
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
 * Returns the steps that `migrate` would apply.
 * @throws EngineError like migrate
 */
export async function pendingSteps(
  database: Database,
  tableSets: readonly TableSet[],
): Promise<readonly PendingSteps[]> {
  return database.read(async (rows) =>
    pendingOf(await readLedger(rows, database.dialect), tableSets),
  )
}

/** Returns the number of steps that a program must know to use a database with all steps applied. */
function neededOf({ steps }: TableSet): number {
  return steps.findLastIndex((step) => typeof step === 'string') + 1
}

interface LedgerRow {
  /** Name of the table set. */
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
  // Older versions had no additive steps and no column for them.
  const hasNeeded = columns.some(({ name }) => name === 'needed')
  const needed = hasNeeded ? 'coalesce(needed, steps)' : 'steps'
  const sql = `SELECT room, steps, ${needed} AS needed FROM schema_steps`
  return { rows: await rows.all<LedgerRow>(sql), hasNeeded }
}

function pendingOf({ rows }: Ledger, tableSets: readonly TableSet[]): readonly PendingSteps[] {
  const known = new Map(tableSets.map(({ name, steps }) => [name, steps.length]))
  const newer = rows.find(({ room, needed }) => needed > (known.get(room) ?? 0))
  if (newer) {
    throw new EngineError(
      'unavailable',
      `the database has step ${newer.needed} of "${newer.room}", written by a newer casemill; this one has ${known.get(newer.room) ?? 'none'}`,
    )
  }
  const had = new Map(rows.map(({ room, steps }) => [room, steps]))
  return tableSets
    .map((tableSet) => ({ tableSet, had: had.get(tableSet.name) ?? 0 }))
    .filter(({ tableSet, had }) => had < tableSet.steps.length)
}
