import {
  type ExecutionResult,
  execute,
  GraphQLError,
  type GraphQLSchema,
  getIntrospectionQuery,
} from 'graphql'
import { LoopTurns } from '../../shared/concurrency/loop-turns.ts'
import { writeJson } from '../../shared/concurrency/write-json.ts'
import type { Database } from '../../shared/database/database.ts'
import { EngineError } from '../../shared/errors.ts'
import type { Executor } from '../../shared/executor.ts'
import {
  Introspection,
  type SchemaBody,
  type SchemaQuery,
} from '../../shared/graphql/introspection.ts'
import { QueryError } from '../../shared/graphql/read-document.ts'
import { Budget, type GraphLimits } from './budget.ts'
import { graphDialect } from './dialect.ts'
import { type GivenData, NOTHING_GIVEN } from './given-rows.ts'
import { introspectJob } from './introspection.ts'
import type { GraphModel } from './model.ts'
import { readOperation } from './operation.ts'
import { Reading } from './reading.ts'

/** Response of a query: HTTP status and JSON. */
export interface GraphAnswer {
  readonly status: 200 | 400
  readonly json: string | Uint8Array<ArrayBuffer>
  readonly given: GivenData
}

interface RunQuery extends SchemaQuery {
  /** Ids of the projects that the caller may read, or undefined for all. */
  readonly projects: readonly string[] | undefined
  readonly signal?: AbortSignal | undefined
}

/** Codes of errors that the client can correct. All other errors are failures of the server. */
const CALLER_CODES: ReadonlySet<string> = new Set(['bad_input', 'too_many'])

interface QueriesOptions {
  readonly model: GraphModel
  /** Schema of the model. */
  readonly schema: GraphQLSchema
  readonly database: Database
  readonly executor: Executor
  readonly limits: GraphLimits
  readonly turns?: LoopTurns | undefined
}

/** Answers queries on the graph of one dictionary. */
export class Queries {
  readonly #schema: GraphQLSchema
  readonly #options: QueriesOptions
  readonly #introspection: Introspection
  #schemaBody: SchemaBody | undefined

  constructor(options: QueriesOptions) {
    this.#options = options
    this.#schema = options.schema
    const { model, executor } = options
    this.#introspection = new Introspection((asked, signal) =>
      executor.run(introspectJob, { ...asked, model }, { signal }),
    )
  }

  /**
   * Answers a query. Errors in the query are reported in the response (submission.md 15).
   * @throws EngineError `busy`, `unavailable`, `corrupt_source`; the signal's reason
   */
  async answer(asked: RunQuery): Promise<GraphAnswer> {
    const { limits, turns = new LoopTurns() } = this.#options
    const budget = new Budget(limits, asked.signal)
    try {
      const { query, variables, operationName } = asked
      const read = readOperation(this.#schema, asked)
      const { document, isIntrospection } = await turns.run(read)
      if (isIntrospection) return await this.#introspect({ query, variables, operationName }, asked)
      const { database, model } = this.#options
      const dialect = graphDialect(database.dialect)
      const { projects, signal } = asked
      const { result, given } = await database.read(
        async (rows) => {
          const reading = new Reading({ rows, budget, turns, model, dialect, projects })
          const result = await execute({
            schema: this.#schema,
            document,
            variableValues: variables,
            operationName,
            contextValue: reading,
          })
          return { result, given: reading.given }
        },
        { ...(signal && { signal }) },
      )
      signal?.throwIfAborted()
      return await answerOf(result, given, { budget, turns })
    } catch (error) {
      asked.signal?.throwIfAborted()
      return errorAnswerOf(error, budget)
    }
  }

  /**
   * Returns the response to the introspection query that most clients send.
   * @throws EngineError `busy` if too many queries are waiting
   */
  async schema(signal?: AbortSignal): Promise<SchemaBody> {
    this.#schemaBody ??= await this.#usualSchema(signal)
    return this.#schemaBody
  }

  async #usualSchema(signal: AbortSignal | undefined): Promise<SchemaBody> {
    const query = getIntrospectionQuery()
    const asked = { query, variables: {}, operationName: undefined }
    const found = await this.#introspection.answer(asked, signal)
    if ('json' in found) return found
    throw new Error(`the schema does not describe itself: ${found.reasons.join('; ')}`)
  }

  async #introspect(query: SchemaQuery, { signal }: RunQuery): Promise<GraphAnswer> {
    const found = await this.#introspection.answer(query, signal)
    if ('reasons' in found) return errorAnswer(found.reasons)
    return { status: 200, json: found.json, given: NOTHING_GIVEN }
  }
}

/** Builds the response. An error gives status 400, with the data found so far (submission.md 15). */
async function answerOf(
  { data = null, errors = [] }: ExecutionResult,
  given: GivenData,
  { budget, turns }: { readonly budget: Budget; readonly turns: LoopTurns },
): Promise<GraphAnswer> {
  for (const error of errors) throwServiceError(error, budget)
  if (errors.length === 0) return { status: 200, json: await writeJson({ data }, turns), given }
  if (budget.error) return errorAnswer([budget.error.message])
  const reasons = [...new Set(errors.map(({ message }) => message))]
  return { status: 400, json: await writeJson({ data, errors: reasons }, turns), given }
}

function throwServiceError({ originalError }: GraphQLError, { error }: Budget): void {
  // An error of the GraphQL library may wrap another one.
  if (!originalError || originalError instanceof GraphQLError || error) return
  const isOfCaller = originalError instanceof EngineError && CALLER_CODES.has(originalError.code)
  if (!isOfCaller) throw originalError
}

function errorAnswerOf(error: unknown, budget: Budget): GraphAnswer {
  if (error instanceof QueryError) return errorAnswer(error.reasons)
  // If a statement exceeds the time limit, the database throws an error of its own, which the budget's error
  // replaces.
  if (budget.error) return errorAnswer([budget.error.message])
  if (error instanceof EngineError && CALLER_CODES.has(error.code))
    return errorAnswer([error.message])
  throw error
}

function errorAnswer(reasons: readonly string[]): GraphAnswer {
  const json = JSON.stringify({ data: null, errors: reasons })
  return { status: 400, json, given: NOTHING_GIVEN }
}
