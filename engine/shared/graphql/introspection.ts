import { execute, type GraphQLSchema, parse } from 'graphql'
import { Gate } from '../concurrency/gate.ts'
import { touch } from '../concurrency/lru-cache.ts'

export interface SchemaQuery {
  readonly query: string
  readonly variables: Readonly<Record<string, unknown>>
  readonly operationName: string | undefined
}

/** Result of an introspection query: JSON, or the reasons why it failed. */
export type FoundInSchema =
  | { readonly json: Uint8Array<ArrayBuffer> }
  | { readonly reasons: readonly string[] }

/** Executes an introspection query. Run it as a job, because the usual one takes about a second. */
export async function introspect(
  schema: GraphQLSchema,
  { query, variables, operationName }: SchemaQuery,
): Promise<FoundInSchema> {
  const document = parse(query)
  const given = { variableValues: variables, operationName }
  const { data, errors } = await execute({ schema, document, ...given })
  if (errors) return { reasons: errors.map(({ message }) => message) }
  return { json: new TextEncoder().encode(JSON.stringify(data)) }
}

/** Few different introspection queries are in use. */
const MAX_CACHED = 4
const WAITING = 32

/** Answers introspection queries on one schema, one at a time. Recent results are cached. */
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
   * @throws EngineError `busy`
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
