import { join } from 'node:path'
import type { DuckDBAppender, DuckDBConnection } from '@duckdb/node-api'

/** A temporary database of one import. */
export interface Database {
  /** Connection for statements and appenders. Rows are read over separate connections: see `rowsOf`. */
  readonly connection: DuckDBConnection
  connect(): Promise<DuckDBConnection>
  close(): void
}

/** Memory limit of DuckDB. Beyond it, DuckDB writes to disk. */
const MEMORY_LIMIT = '512MB'

/** Opens a database that keeps everything inside `folder`. */
export async function openDatabase(folder: string, threads: number): Promise<Database> {
  // The module is loaded here, so that services do not load its native code.
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
 * Yields the rows of a query, one chunk in memory at a time. Each query has its own connection, because any
 * other use of a connection, such as an appender that writes its rows, silently ends a result that is still
 * being read.
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
      // Reading row by row would look up the column for each value.
      const columns = chunk.getColumns()
      yield Array.from({ length: chunk.rowCount }, (_, row) => columns.map((column) => column[row]))
    }
  } finally {
    connection.closeSync()
  }
}

/** Returns the single number that a query yields. */
export async function numberOf(database: Database, sql: string): Promise<number> {
  for await (const [row] of rowsOf(database, sql)) return Number(row?.[0])
  throw new Error('the query has no answer')
}

/** Appends a text. Undefined is appended as null. */
export function appendText(appender: DuckDBAppender, text: string | undefined): void {
  if (text === undefined) appender.appendNull()
  else appender.appendVarchar(text)
}

export function appendNumber(appender: DuckDBAppender, value: number | undefined): void {
  if (value === undefined) appender.appendNull()
  else appender.appendDouble(value)
}
