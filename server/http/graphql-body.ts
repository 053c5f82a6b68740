import { z } from '@hono/zod-openapi'
import { EngineError, type LoopTurns } from '../../engine/shared/index.ts'
import { isObject } from '../../engine/shared/internal.ts'
import type { Call } from './endpoint.ts'
import { parseJsonInTurns } from './json-text.ts'

/** Maximum size of a body in bytes. Parsing it blocks the event loop for milliseconds only. */
const MAX_BODY_BYTES = 4 << 20

/** Schema of the body of a request with a query, for the API document. */
export const graphqlBody = z.object({
  query: z.string(),
  variables: z
    .unknown()
    .optional()
    .openapi({ type: 'object', description: 'Values of variables, as an object or as JSON text.' }),
  operationName: z.string().nullish(),
})

interface GraphqlBody {
  readonly query: string
  readonly variables?: Readonly<Record<string, unknown>>
  readonly operationName: string | undefined
}

/** The reasons why a body is refused. */
interface GraphqlFailure {
  readonly reasons: readonly string[]
}

const failure = (...reasons: readonly string[]): GraphqlFailure => ({ reasons })

/**
 * Reads the body of a query, which is JSON with any content type (submission.md 15).
 * @throws EngineError `too_large` for a body beyond the limit
 */
export async function readGraphqlBody({
  body: bytesOf,
  turns,
}: Pick<Call<unknown, unknown>, 'body' | 'turns'>): Promise<GraphqlBody | GraphqlFailure> {
  const bytes = await bytesOf(MAX_BODY_BYTES)
  const body = await parsedOr(() => parseJsonInTurns(bytes, turns))
  if (body instanceof EngineError) return failure(body.message)
  if (!isObject(body)) return failure('the body is not a JSON object; give {"query": "{ … }"}')
  const { query, variables = null, operationName = null } = body
  if (typeof query !== 'string') return failure('query is missing; give the text of a query')
  const values = await readVariables(variables, turns)
  if ('reasons' in values) return values
  if (operationName !== null && typeof operationName !== 'string') {
    return failure('operationName is no text; give the name of an operation, or leave it out')
  }
  return { query, ...values, operationName: operationName === null ? undefined : operationName }
}

async function readVariables(
  given: unknown,
  turns: LoopTurns,
): Promise<Pick<GraphqlBody, 'variables'> | GraphqlFailure> {
  const bad = (why: string) => failure('Unable to parse variables', why)
  if (given === null || given === '') return {}
  const value =
    typeof given === 'string'
      ? await parsedOr(() => parseJsonInTurns(Buffer.from(given), turns, { at: 'variables' }))
      : given
  if (value instanceof EngineError) return bad(value.message)
  if (value === null) return {}
  return isObject(value) ? { variables: value } : bad('variables are not an object')
}

async function parsedOr(parse: () => Promise<unknown>): Promise<unknown> {
  try {
    return await parse()
  } catch (error) {
    if (!(error instanceof EngineError)) throw error
    return error
  }
}
