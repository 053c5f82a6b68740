import type { Input } from '../input.ts'
import { quoted } from '../sql/columns.ts'
import type { Peer } from '../stage.ts'
import { DuckClient } from './client.ts'
import { openDatabase } from './database.ts'
import { duckForms, EXPORTS } from './forms.ts'

/** DuckDB in this process, its tables in two files. */
export async function withDuck<Result>(
  { duck, nested }: Input,
  use: (peer: Peer) => Promise<Result>,
): Promise<Result> {
  const database = await openDatabase(duck, 'READ_ONLY')
  try {
    const client = new DuckClient(await database.connect())
    await client.run(`ATTACH ${quoted(nested)} AS ${EXPORTS} (READ_ONLY)`)
    const forms = duckForms(client)
    const { version } = database
    return await use({ name: 'DuckDB', version, place: duck, forms: (kind) => forms[kind] })
  } finally {
    database.close()
  }
}

/** Ids of all files, ascending. */
export async function idsIn({ duck }: Input): Promise<string[]> {
  const database = await openDatabase(duck, 'READ_ONLY')
  try {
    const client = new DuckClient(await database.connect())
    const [ids] = await client.columns('SELECT file_id FROM files')
    return (ids ?? []).map(String)
  } finally {
    database.close()
  }
}
