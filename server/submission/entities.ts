import { z } from '@hono/zod-openapi'
import { EngineError } from '../../engine/shared/index.ts'
import type { Submissions } from '../../engine/submission/index.ts'
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts'
import {
  asyncFlag,
  type CallerEngine,
  nothingHere,
  PROJECT_PATH,
  projectNames,
  projectRequestOf,
  SUBMISSION_TAGS,
  strictParameter,
  submissionResponse,
  TOKEN_NEEDED,
} from './call.ts'
import { deletionResponses, entitiesResponses } from './shapes.ts'

export interface EntitiesEngine extends CallerEngine {
  readonly transactions: Pick<Submissions['transactions'], 'entities' | 'delete'>
}

const names = projectNames.extend({
  ids: z.string().describe('Ids of entities with commas between them.'),
})
const fields = strictParameter('fields', readFields, {
  type: 'string',
  description: 'Optional properties to remove instead, separated by commas.',
  example: 'days_to_birth',
})

/** Endpoints that read and delete entities by id (submission.md 11). */
export function entityEndpoints(engine: EntitiesEngine): readonly Endpoint[] {
  const { transactions } = engine
  return [
    defineEndpoint({
      methods: ['GET'],
      path: `${PROJECT_PATH}/entities/{ids}`,
      summary: 'Entities as they are stored',
      tags: SUBMISSION_TAGS,
      pathParameters: names,
      responses: entitiesResponses,
      security: TOKEN_NEEDED,
      async handle(call) {
        const request = { ...(await projectRequestOf(call, engine)), ids: readIds(call.path.ids) }
        const answer = await transactions.entities(request)
        // Its text takes some milliseconds to write.
        await call.turns.next()
        return submissionResponse(answer, call)
      },
    }),
    ...[false, true].map((isDryRun) => {
      const tail = isDryRun ? '/_dry_run' : ''
      return defineEndpoint({
        methods: ['DELETE'],
        path: `${PROJECT_PATH}/entities${tail}/{ids}`,
        summary: isDryRun ? 'Delete entities: dry run' : 'Delete entities',
        description: 'All of them or none. Entities that others link to go together with those.',
        tags: SUBMISSION_TAGS,
        pathParameters: names,
        parameters: z.object({ fields, async: asyncFlag }),
        responses: deletionResponses,
        security: TOKEN_NEEDED,
        async handle(call) {
          const ids = readIds(call.path.ids)
          const { fields, async: isAsync = false } = call.query()
          const request = await projectRequestOf(call, engine, `/entities${tail}/${call.path.ids}`)
          const answer = await transactions.delete({
            ...request,
            ids,
            isDryRun,
            isAsync,
            signal: call.signal,
            ...(fields && { fields }),
          })
          return submissionResponse(answer, call)
        },
      })
    }),
  ]
}

/** Word that belongs to another endpoint when it is in the place of ids. */
const NO_IDS = '_dry_run'

function readIds(text: string): readonly string[] {
  const ids = text.split(',').flatMap((part) => part.trim() || [])
  if (ids.length > 0 && text !== NO_IDS) return ids
  throw nothingHere()
}

/** Parses property names. An empty list is an error, not all, so that no entity is lost by accident. */
function readFields(given: unknown): readonly string[] {
  const texts: readonly unknown[] = Array.isArray(given) ? given : [given]
  const fields = texts.flatMap((text) =>
    String(text)
      .split(',')
      .flatMap((part) => part.trim() || []),
  )
  if (fields.length > 0) return fields
  throw new EngineError('bad_input', 'parameter fields is empty; name properties, or leave it out')
}
