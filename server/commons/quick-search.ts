import { z } from '@hono/zod-openapi'
import type { Commons } from '../../engine/commons/index.ts'
import { EngineError } from '../../engine/shared/index.ts'
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts'
import { json } from '../http/reply.ts'
import { RELEASE_HEADER } from './release-answer.ts'
import { quickSearchParameters, requiredQuery } from './search-parameters.ts'

export interface QuickSearchEngine {
  readonly search: Pick<Commons['search'], 'quickSearch'>
}

/** Maximum number of hits. Unlike the responses of dataset endpoints, this response is built in memory. */
const MAX_HITS = 1000

const found = z.object({
  data: z.object({
    query: z.object({ hits: z.array(z.record(z.string(), z.unknown())), total: z.int() }),
  }),
})

/** Endpoints that find records of several datasets by a prefix of an id or name (data-commons.md 4). */
export function quickSearchEndpoints(engine: QuickSearchEngine): readonly Endpoint[] {
  return Object.freeze(['/all', '/quick_search'].map((path) => quickSearchEndpoint(path, engine)))
}

function quickSearchEndpoint(path: string, engine: QuickSearchEngine): Endpoint {
  return defineEndpoint({
    methods: ['GET'],
    path,
    summary: 'Find records of any kind by the start of an id or name',
    tags: ['search'],
    parameters: quickSearchParameters,
    responses: { 200: { description: 'Records', content: { 'application/json': found } } },
    async handle({ input, signal }) {
      const given = await input()
      const query = requiredQuery(given)
      if (given.size > MAX_HITS) {
        const message = `parameter size is over the limit of ${MAX_HITS} here`
        throw new EngineError('bad_input', message, { at: 'size' })
      }
      const request = { query, size: given.size }
      const { data, releaseId } = await engine.search.quickSearch(request, { signal })
      return json(200, { data }, { [RELEASE_HEADER]: releaseId })
    },
  })
}
