import type { DuckDBConnection, DuckDBDataChunk, DuckDBPreparedStatement } from '@duckdb/node-api'

type Cell = string | number | null

/** Runs statements, each prepared once, and fetches their rows in the cheapest way. */
export class DuckClient {
  readonly #connection: DuckDBConnection
  readonly #prepared = new Map<string, Promise<DuckDBPreparedStatement>>()

  constructor(connection: DuckDBConnection) {
    this.#connection = connection
  }

  /** Statements only return texts, INTEGER and DOUBLE, so that no cell needs converting. */
  async rows(sql: string, values: readonly string[] = []): Promise<Cell[][]> {
    const statement = await this.#statement(sql)
    for (const [i, value] of values.entries()) statement.bindVarchar(i + 1, value)
    const reader = await statement.runAndReadAll()
    return reader.getRows() as Cell[][]
  }

  async columns(sql: string): Promise<Cell[][]> {
    const statement = await this.#statement(sql)
    const reader = await statement.runAndReadAll()
    return reader.getColumns() as Cell[][]
  }

  /** The result as DuckDB has it in memory, chunk by chunk; nothing is converted. */
  async *chunks(sql: string): AsyncGenerator<DuckDBDataChunk, undefined> {
    const result = await (await this.#statement(sql)).stream()
    for (;;) {
      const chunk = await result.fetchChunk()
      if (!chunk || chunk.rowCount === 0) return
      yield chunk
    }
  }

  /** For statements that differ with every call, such as those that name a path. */
  async run(sql: string): Promise<void> {
    await this.#connection.run(sql)
  }

  #statement(sql: string): Promise<DuckDBPreparedStatement> {
    let statement = this.#prepared.get(sql)
    if (!statement) {
      statement = this.#connection.prepare(sql)
      this.#prepared.set(sql, statement)
    }
    return statement
  }
}
