import { join } from 'node:path'
import type { DuckDBAppender, DuckDBConnection } from '@duckdb/node-api'

/** A database for the time of one import. */
export interface Database {
  /** For statements and appenders. Rows are read over connections of their own: see `rowsOf`. */
  readonly connection: DuckDBConnection
  connect(): Promise<DuckDBConnection>
  close(): void
}

/** What DuckDB may hold in memory; beyond it, it works on disk. */
const MEMORY_LIMIT = '512MB'

/** Opens a database with everything that it writes inside `folder`. */
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
    connect: () => instance.connect(),
    close() {
      connection.closeSync()
      instance.closeSync()
    },
  }
}

/**
 * Rows of a query, in memory of one chunk. A connection ends an answer that is still being read, as
 * if it had no more rows, when anything else is done over it, be it an appender that writes its
 * rows out: so each query has a connection of its own.
 */
export async function* rowsOf(
  database: Database,
  sql: string,
): AsyncGenerator<readonly (readonly unknown[])[], void, undefined> {
  const connection = await database.connect()
  try {
    const answer = await connection.stream(sql)
    for (
      let chunk = await answer.fetchChunk();
      chunk?.rowCount;
      chunk = await answer.fetchChunk()
    ) {
      // Row by row, the library looks for the column of each value.
      const columns = chunk.getColumns()
      yield Array.from({ length: chunk.rowCount }, (_, row) => columns.map((column) => column[row]))
    }
  } finally {
    connection.closeSync()
  }
}

/** The number that is a query's only answer. */
export async function numberOf(database: Database, sql: string): Promise<number> {
  for await (const [row] of rowsOf(database, sql)) return Number(row?.[0])
  throw new Error('the query has no answer')
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
