import { existsSync } from 'node:fs'
import { basename } from 'node:path'
import type { Database } from '../database/database.ts'
import type { Issue } from '../issue.ts'

/** Checks the integrity of the embedded database. A PostgreSQL server checks its data itself. */
export async function* checkDatabase(database: Database, path: string): AsyncGenerator<Issue> {
  if (database.dialect !== 'sqlite' || !existsSync(path)) return
  const found = await database.read((rows) =>
    rows.all<{ integrity_check: string }>('PRAGMA integrity_check'),
  )
  for (const { integrity_check: problem } of found) {
    if (problem !== 'ok') yield { subject: basename(path), problem }
  }
}
