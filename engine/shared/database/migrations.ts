import { EngineError } from '../errors.ts'
import type { Dialect, Rows } from './database.ts'
import type { SessionDatabase } from './session-database.ts'

/**
 * A set of tables and their history, oldest step first. A step that has been released is never
 * edited: a change is a new step at the end. A step is a text of statements with macros for what the
 * dialects write differently: see MACROS.
 */
export interface TableSet {
  readonly name: string
  readonly steps: readonly string[]
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
export function inDialect(step: string, dialect: Dialect): string {
  return step.replace(/\{[a-z ]+\}/g, (name) => {
    const macro = MACROS[name]
    if (!macro) throw new Error(`${name} is no macro; there are ${Object.keys(MACROS).join(', ')}`)
    return macro[dialect]
  })
}

/** How many steps each table set has had; also what writers of PostgreSQL lock. */
export const LEDGER = `
  CREATE TABLE IF NOT EXISTS schema_steps (
    room {text} PRIMARY KEY,
    steps {integer} NOT NULL
  ) {strict by key}`

/**
 * Brings all rooms to their last step, in one transaction: of several processes the first does it.
 * @throws EngineError `unavailable` when the database was written by a newer version
 */
export async function migrate(
  database: SessionDatabase,
  tableSets: readonly TableSet[],
): Promise<void> {
  await database.changeSchema(async (transaction, script) => {
    for (const { name, steps, had } of await missing(transaction, tableSets)) {
      for (const step of steps.slice(had)) await script(inDialect(step, database.dialect))
      const record = `INSERT INTO schema_steps (room, steps) VALUES (?, ?)
        ON CONFLICT (room) DO UPDATE SET steps = excluded.steps`
      await transaction.run(record, [name, steps.length])
    }
  })
}

async function missing(rows: Rows, tableSets: readonly TableSet[]) {
  const ledger = await rows.all<{ room: string; steps: number }>(
    'SELECT room, steps FROM schema_steps',
  )
  const known = new Map(tableSets.map((room) => [room.name, room.steps.length]))
  const newer = ledger.find(({ room, steps }) => steps > (known.get(room) ?? 0))
  if (newer) {
    throw new EngineError(
      'unavailable',
      `the database has step ${newer.steps} of "${newer.room}", written by a newer casemill; this one knows ${known.get(newer.room) ?? 'none'}`,
    )
  }
  const had = new Map(ledger.map(({ room, steps }) => [room, steps]))
  return tableSets
    .map((room) => ({ ...room, had: had.get(room.name) ?? 0 }))
    .filter(({ steps, had }) => had < steps.length)
}
