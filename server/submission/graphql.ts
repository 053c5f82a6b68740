import { z } from '@hono/zod-openapi'
import { EngineError } from '../../engine/shared/index.ts'
import { isObject } from '../../engine/shared/internal.ts'
import type { GraphAnswer, GraphRequest, Submissions } from '../../engine/submission/index.ts'
import { type Call, defineEndpoint, type Endpoint } from '../http/endpoint.ts'
import { parseJsonText } from '../http/json-text.ts'
import { type Prepared, prepare } from '../http/prepared.ts'
import { reply } from '../http/reply.ts'
import { type CallerEngine, callerOf, SUBMISSION_TAGS, TOKEN_NEEDED, UNCACHED } from './call.ts'

export interface GraphqlEngine extends CallerEngine {
  readonly graph: Pick<Submissions['graph'], 'admit' | 'query' | 'schema'>
}

const JSON_TYPE = 'application/json'
/** Largest body that can be parsed without delaying other requests. */
const MAX_BODY_BYTES = 4 << 20

const asked = z.object({
  query: z.string().openapi({ example: '{ case(first: 2) { submitter_id } _case_count }' }),
  variables: z
    .unknown()
    .optional()
    .openapi({ type: 'object', description: 'Values of variables; also as a text of JSON.' }),
  operationName: z.string().nullish(),
})

const failed = z.object({
  data: z.unknown().describe('What could be found; often null.'),
  errors: z.array(z.string()),
})

/** GraphQL endpoints for submitted data and their schema (submission.md 1, 15). */
export function graphqlEndpoints(engine: GraphqlEngine): readonly Endpoint[] {
  const { graph: submittedGraph } = engine
  // Prepared schema responses. There is one per dictionary, and one dictionary per process.
  const schemas = new WeakMap<GraphAnswer, () => Prepared>()
  return Object.freeze([
    defineEndpoint({
      methods: ['POST'],
      path: '/submission/graphql',
      summary: 'Query what was submitted',
      description:
        'GraphQL over the entities of the projects that the token may read, and over their ' +
        'transactions. The body is JSON, whatever its content type. Lists have ten elements unless ' +
        '`first` says otherwise, with 0 for all. An answer without `errors` is a complete one; with ' +
        'any, the status is 400.',
      tags: SUBMISSION_TAGS,
      content: { [JSON_TYPE]: asked },
      responses: {
        200: {
          description: 'What was asked for',
          content: { [JSON_TYPE]: z.object({ data: z.record(z.string(), z.unknown()) }) },
        },
        400: { description: 'What is wrong with the query', content: { [JSON_TYPE]: failed } },
      },
      security: TOKEN_NEEDED,
      async handle(call) {
        const caller = await callerOf(call, engine)
        submittedGraph.admit(caller)
        const query = readQuery(await readBody(call))
        if ('errors' in query) return answered({ status: 400, json: JSON.stringify(query) })
        return answered(await submittedGraph.query({ ...caller, ...query, signal: call.signal }))
      },
    }),
    defineEndpoint({
      methods: ['GET'],
      path: '/submission/getschema',
      summary: 'What can be asked of what was submitted',
      description: 'The answer to the introspection query of GraphQL.',
      tags: SUBMISSION_TAGS,
      compress: true,
      responses: {
        200: {
          description: 'The schema',
          content: { [JSON_TYPE]: z.object({ data: z.record(z.string(), z.unknown()) }) },
        },
        304: { description: 'The client has this answer already.' },
      },
      async handle(call) {
        const answer = await submittedGraph.schema(call.signal)
        const known = schemas.get(answer)
        const prepared = known ?? prepare(JSON_TYPE, () => Buffer.from(answer.json).toString())
        schemas.set(answer, prepared)
        return call.send(prepared())
      },
    }),
  ])
}

function answered({ status, json }: GraphAnswer): Response {
  return reply(status, JSON_TYPE, json, UNCACHED)
}

/**
 * Parses a body, or returns the error for invalid JSON.
 * @throws EngineError `too_large`
 */
async function readBody({ body }: Pick<Call<unknown, unknown>, 'body'>): Promise<unknown> {
  const bytes = await body(MAX_BODY_BYTES)
  try {
    return parseJsonText(bytes, 'body')
  } catch (error) {
    if (!(error instanceof EngineError)) throw error
    return error
  }
}

interface QueryFailure {
  readonly data: null
  readonly errors: readonly string[]
}

const failure = (...errors: readonly string[]): QueryFailure => ({ data: null, errors })

/** Returns the query in a body, or what is wrong with it (submission.md 15). */
function readQuery(
  body: unknown,
): Pick<GraphRequest, 'query' | 'variables' | 'operationName'> | QueryFailure {
  if (body instanceof EngineError) return failure(body.message)
  if (!isObject(body)) return failure('the body is not a JSON object; give {"query": "{ … }"}')
  const { query, variables = null, operationName = null } = body
  if (typeof query !== 'string') return failure('query is missing; give the text of a query')
  const values = readVariables(variables)
  if ('errors' in values) return values
  if (operationName !== null && typeof operationName !== 'string') {
    return failure('operationName is no text; give the name of an operation, or leave it out')
  }
  return { query, ...values, operationName: operationName === null ? undefined : operationName }
}

function readVariables(given: unknown): Pick<GraphRequest, 'variables'> | QueryFailure {
  const bad = (why: string) => failure('Unable to parse variables', why)
  if (given === null || given === '') return {}
  if (typeof given !== 'string') {
    return isObject(given) ? { variables: given } : bad('variables are not an object')
  }
  try {
    const value = parseJsonText(given, 'variables')
    return value === null
      ? {}
      : isObject(value)
        ? { variables: value }
        : bad('variables are not an object')
  } catch (error) {
    if (!(error instanceof EngineError)) throw error
    return bad(error.message)
  }
}
