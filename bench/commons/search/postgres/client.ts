import type pg from 'pg'

/** Runs statements, each prepared once, and gives their rows as arrays. */
export class PostgresClient {
  readonly #client: pg.Client
  readonly #names = new Map<string, string>()

  constructor(client: pg.Client) {
    this.#client = client
  }

  async rows(text: string, values: readonly unknown[] = []): Promise<unknown[][]> {
    let name = this.#names.get(text)
    if (name === undefined) {
      name = `q${this.#names.size}`
      this.#names.set(text, name)
    }
    const result = await this.#client.query<unknown[]>({
      name,
      text,
      values: [...values],
      rowMode: 'array',
    })
    return result.rows
  }

  /** For statements that cannot be prepared. */
  async run(text: string): Promise<void> {
    await this.#client.query(text)
  }
}
