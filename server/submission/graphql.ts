import { z } from '@hono/zod-openapi'
import type { GraphAnswer, SchemaBody, Submissions } from '../../engine/submission/index.ts'
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts'
import { graphqlBody, readGraphqlBody } from '../http/graphql-body.ts'
import { type Prepared, preparedOf } from '../http/prepared.ts'
import { reply } from '../http/reply.ts'
import { type CallerEngine, callerOf, SUBMISSION_TAGS, TOKEN_NEEDED, UNCACHED } from './call.ts'

export interface GraphqlEngine extends CallerEngine {
  readonly graph: Pick<Submissions['graph'], 'admit' | 'query' | 'schema'>
}

const JSON_TYPE = 'application/json'
const failed = z.object({
  data: z.unknown().describe('The data found; often null.'),
  errors: z.array(z.string()),
})

/** GraphQL endpoints for submitted data and their schema (submission.md 1, 15). */
export function graphqlEndpoints(engine: GraphqlEngine): readonly Endpoint[] {
  const { graph: submittedGraph } = engine
  // Prepared schema responses. There is one per dictionary, and one dictionary per process.
  const schemas = new WeakMap<SchemaBody, Prepared>()
  return Object.freeze([
    defineEndpoint({
      methods: ['POST'],
      path: '/submission/graphql',
      summary: 'Query submitted entities',
      description:
        'GraphQL over the entities of the projects that the token can read, and over their ' +
        'transactions. The body is JSON, whatever its content type. Lists have ten elements ' +
        'unless `first` has another number; 0 means all. A response without `errors` is ' +
        'complete. With `errors`, the status is 400.',
      tags: SUBMISSION_TAGS,
      content: { [JSON_TYPE]: graphqlBody },
      responses: {
        200: {
          description: 'The requested data',
          content: { [JSON_TYPE]: z.object({ data: z.record(z.string(), z.unknown()) }) },
        },
        400: { description: 'The errors of the query', content: { [JSON_TYPE]: failed } },
      },
      security: TOKEN_NEEDED,
      async handle(call) {
        const caller = await callerOf(call, engine)
        submittedGraph.admit(caller)
        const query = await readGraphqlBody(call)
        if ('reasons' in query) {
          const json = JSON.stringify({ data: null, errors: query.reasons })
          return answered({ status: 400, json })
        }
        const answer = await submittedGraph.query({ ...caller, ...query, signal: call.signal })
        const { principal } = caller
        const { entities, projects } = answer.given
        // An answer with errors may also have data.
        call.granted({
          principal,
          projects: [...projects],
          entities: () => entities,
          withErrors: true,
        })
        return answered(answer)
      },
    }),
    defineEndpoint({
      methods: ['GET'],
      path: '/submission/getschema',
      summary: 'Schema for queries of submitted entities',
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
        const schema = await submittedGraph.schema(call.signal)
        const prepared =
          schemas.get(schema) ?? preparedOf(JSON_TYPE, { bytes: schema.json, hash: schema.sha256 })
        schemas.set(schema, prepared)
        return call.send(prepared)
      },
    }),
  ])
}

function answered({ status, json }: Pick<GraphAnswer, 'status' | 'json'>): Response {
  return reply(status, JSON_TYPE, json, UNCACHED)
}
