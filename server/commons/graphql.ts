import { z } from '@hono/zod-openapi'
import type { Commons } from '../../engine/commons/index.ts'
import { refusal } from '../../engine/commons/internal.ts'
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts'
import { graphqlBody, readGraphqlBody } from '../http/graphql-body.ts'
import { releaseHeader } from './release-answer.ts'

export interface SearchGraphEngine {
  readonly searchGraph: Pick<Commons['searchGraph'], 'query'>
}

const JSON_TYPE = 'application/json'

const failed = z.object({
  errors: z.array(z.object({ message: z.string() })),
  message: z.string().describe('All messages in one.'),
})

/** Endpoints of the GraphQL search (portal.md 1.2). */
export function searchGraphEndpoints(engine: SearchGraphEngine): readonly Endpoint[] {
  return Object.freeze([
    graphEndpoint(engine, '/graphql', 'Search by GraphQL'),
    graphEndpoint(engine, '/graphql/{word}', 'The same as /graphql'),
  ])
}

function graphEndpoint(
  { searchGraph }: SearchGraphEngine,
  path: string,
  summary: string,
): Endpoint {
  return defineEndpoint({
    methods: ['POST'],
    path,
    summary,
    description:
      'Lists of cases, files, genes and mutations with nested records, and counts of values, ' +
      'ranges and histograms, in the schema of the public portal. Mutations create and change ' +
      'sets. A response without `errors` is complete. With `errors`, it has no `data`, and the ' +
      'status is 400 or, for a set, 404 or 409.',
    tags: ['search'],
    compress: true,
    ...(path.includes('{') && { pathParameters: z.object({ word: z.string() }) }),
    content: { [JSON_TYPE]: graphqlBody },
    responses: {
      200: {
        description: 'The requested data',
        content: { [JSON_TYPE]: z.object({ data: z.record(z.string(), z.unknown()) }) },
      },
      400: { description: 'The errors of the query', content: { [JSON_TYPE]: failed } },
      404: { description: 'The set does not exist or has expired.' },
      409: { description: 'The set is not mutable, or was changed at the same time.' },
    },
    async handle(call) {
      const document = await readGraphqlBody(call)
      const { status, json, releaseId, warnings } =
        'reasons' in document
          ? refusal(document.reasons)
          : await searchGraph.query({ ...document, client: call.client, signal: call.signal })
      if (warnings) call.warnings.addAll(warnings)
      const headers = {
        'Content-Type': JSON_TYPE,
        'Cache-Control': 'no-store',
        ...releaseHeader(releaseId),
      }
      return call.pieces(json, { status, headers })
    },
  })
}
