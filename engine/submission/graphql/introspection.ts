import { execute, parse } from 'graphql'
import { Gate } from '../../shared/concurrency/gate.ts'
import { touch } from '../../shared/concurrency/lru-cache.ts'
import type { Executor, Job } from '../../shared/executor.ts'
import type { GraphModel } from './model.ts'
import { makeSchema } from './schema.ts'

export interface SchemaQuery {
  readonly query: string
  readonly variables: Readonly<Record<string, unknown>>
  readonly operationName: string | undefined
}

/** What is asked of a schema, and what was found: an answer as JSON, or why there is none. */
type Found = { readonly json: Uint8Array } | { readonly reasons: readonly string[] }

/**
 * Answers a query for the schema. A job, since the query of usual clients takes a second: 50,000
 * arguments are named with their types.
 */
export const introspectJob: Job<SchemaQuery & { readonly model: GraphModel }, Found> = {
  name: 'submitted-graph.introspect',
  async run({ model, query, variables, operationName }) {
    const { data, errors } = await execute({
      schema: makeSchema(model),
      document: parse(query),
      variableValues: variables,
      operationName,
    })
    if (errors) return { reasons: errors.map(({ message }) => message) }
    return { json: new TextEncoder().encode(JSON.stringify(data)) }
  },
}

/** Different ones are asked for seldom. */
const MAX_CACHED = 4
const WAITING = 32

/** Answers queries for one schema, one at a time; the last few are cached. */
export class Introspection {
  readonly #model: GraphModel
  readonly #executor: Executor
  readonly #gate = new Gate(1, WAITING, 'too many ask for the schema at once; try again later')
  readonly #cached = new Map<string, Found>()

  constructor(model: GraphModel, executor: Executor) {
    this.#model = model
    this.#executor = executor
  }

  /** @throws EngineError `busy` */
  async answer(asked: SchemaQuery, signal?: AbortSignal): Promise<Found> {
    const key = JSON.stringify(asked)
    const leave = await this.#gate.enter(signal)
    try {
      const cached = this.#cached.get(key)
      const input = { ...asked, model: this.#model }
      const found = cached ?? (await this.#executor.run(introspectJob, input, { signal }))
      touch(this.#cached, key, found, MAX_CACHED)
      return found
    } finally {
      leave()
    }
  }
}
