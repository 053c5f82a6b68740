import { execute, type GraphQLSchema, parse } from 'graphql'
import { Gate } from '../concurrency/gate.ts'
import { touch } from '../concurrency/lru-cache.ts'

export interface SchemaQuery {
  readonly query: string
  readonly variables: Readonly<Record<string, unknown>>
  readonly operationName: string | undefined
}

/** What was found of a schema: an answer as JSON, or why there is none. */
export type FoundInSchema = { readonly json: Uint8Array } | { readonly reasons: readonly string[] }

/** Answers a query for a schema: for a job, since the query of usual clients takes a second. */
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

/** Different ones are asked for seldom. */
const MAX_CACHED = 4
const WAITING = 32

/** Answers queries for one schema, one at a time; the last few are cached. */
export class Introspection {
  readonly #run: (asked: SchemaQuery, signal: AbortSignal | undefined) => Promise<FoundInSchema>
  readonly #gate = new Gate(1, WAITING, 'too many ask for the schema at once; try again later')
  readonly #cached = new Map<string, FoundInSchema>()

  /** @param run has a job answer a query */
  constructor(
    run: (asked: SchemaQuery, signal: AbortSignal | undefined) => Promise<FoundInSchema>,
  ) {
    this.#run = run
  }

  /** @throws EngineError `busy` */
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
