import { createHash } from 'node:crypto'
import { execute, type GraphQLSchema, parse } from 'graphql'
import { Gate } from '../concurrency/gate.ts'
import { touch } from '../concurrency/lru-cache.ts'

export interface SchemaQuery {
  readonly query: string
  readonly variables: Readonly<Record<string, unknown>>
  readonly operationName: string | undefined
}

/** The response body to an introspection query. It has megabytes, so a worker thread finishes it. */
export interface SchemaBody {
  /** JSON of `{ data }` in UTF-8. */
  readonly json: Uint8Array<ArrayBuffer>
  /** SHA-256 of `json` in base64url. */
  readonly sha256: string
}

/** Result of an introspection query: the response body, or the reasons why the query failed. */
export type FoundInSchema = SchemaBody | { readonly reasons: readonly string[] }

/** Executes an introspection query. Run it as a job, because a typical query takes about a second. */
export async function introspect(
  schema: GraphQLSchema,
  { query, variables, operationName }: SchemaQuery,
): Promise<FoundInSchema> {
  const document = parse(query)
  const given = { variableValues: variables, operationName }
  const { data, errors } = await execute({ schema, document, ...given })
  if (errors) return { reasons: errors.map(({ message }) => message) }
  const json = new TextEncoder().encode(JSON.stringify({ data }))
  return { json, sha256: createHash('sha256').update(json).digest('base64url') }
}

/** Maximum number of cached results. Clients use only a few different queries. */
const MAX_CACHED = 4
const WAITING = 32

/** Answers introspection queries about one schema, one at a time. Caches recent results. */
export class Introspection {
  readonly #run: (asked: SchemaQuery, signal: AbortSignal | undefined) => Promise<FoundInSchema>
  readonly #gate = new Gate(1, WAITING, 'too many requests for the schema at once; try again later')
  readonly #cached = new Map<string, FoundInSchema>()

  /** @param run runs `introspect` as a job */
  constructor(
    run: (asked: SchemaQuery, signal: AbortSignal | undefined) => Promise<FoundInSchema>,
  ) {
    this.#run = run
  }

  /**
   * Answers a query.
   * @throws EngineError `busy` if too many queries are waiting
   */
  async answer(asked: SchemaQuery, signal?: AbortSignal): Promise<FoundInSchema> {
    const key = JSON.stringify(asked)
    const leave = await this.#gate.enter(signal)
    try {
      const found = this.#cached.get(key) ?? (await this.#run(asked, signal))
      touch(this.#cached, key, found, MAX_CACHED)
      return found
    } finally {
      leave()
    }
  }
}
