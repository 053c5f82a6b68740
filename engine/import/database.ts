import { join } from 'node:path'
import type { DuckDBAppender, DuckDBConnection } from '@duckdb/node-api'

export interface Database {
  readonly connection: DuckDBConnection
  close(): void
}

/** What DuckDB may hold in memory; beyond it, it works on disk. */
const MEMORY_LIMIT = '512MB'

/** A database for the time of one import, with everything that it writes inside `folder`. */
export async function openDatabase(folder: string, threads: number): Promise<Database> {
  // Nothing but an import needs it: a service must not carry its native code.
  const { DuckDBInstance } = await import('@duckdb/node-api')
  const instance = await DuckDBInstance.create(join(folder, 'staging.duckdb'), {
    threads: String(threads),
    memory_limit: MEMORY_LIMIT,
    temp_directory: join(folder, 'spill'),
    preserve_insertion_order: 'false',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  })
  const connection = await instance.connect()
  return {
    connection,
    close() {
      connection.closeSync()
      instance.closeSync()
    },
  }
}

/** Rows of a query, in memory of one chunk. */
export async function* rowsOf(
  connection: DuckDBConnection,
  sql: string,
): AsyncGenerator<readonly (readonly unknown[])[], void, undefined> {
  const result = await connection.stream(sql)
  for (let chunk = await result.fetchChunk(); chunk?.rowCount; chunk = await result.fetchChunk()) {
    yield chunk.getRows()
  }
}

/** A text, or null for none. */
export function appendText(appender: DuckDBAppender, text: string | undefined): void {
  if (text === undefined) appender.appendNull()
  else appender.appendVarchar(text)
}

export function appendNumber(appender: DuckDBAppender, value: number | undefined): void {
  if (value === undefined) appender.appendNull()
  else appender.appendDouble(value)
}
