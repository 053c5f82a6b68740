import { z } from '@hono/zod-openapi'
import { EngineError, type Shared } from '../../engine/shared/index.ts'
import type { Submissions } from '../../engine/submission/index.ts'
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts'
import { longJson } from '../http/reply.ts'

interface AuditEngine {
  readonly credentials: Pick<Submissions['credentials'], 'verify'>
  /** Absent if no record is kept. */
  readonly audit: Pick<NonNullable<Shared['audit']>, 'recent'> | undefined
}

const MAX_SIZE = 1000

/** Maximum length of the name of a user: an issuer, and a subject of it. */
const MAX_NAME = 1500

const given = (description: string, most = 200) =>
  z
    .string()
    .max(most)
    .optional()
    .transform((text) => text?.trim() || undefined)
    .describe(description)

const parameters = z.object({
  subject: given('Only what this user had or did', MAX_NAME),
  file_id: given('Only answers with this file'),
  case_id: given('Only answers with values of this case'),
  entity_id: given('Only answers with this submitted entity'),
  since: given('From this day (YYYY-MM-DD) or time (ISO 8601, UTC) on'),
  until: given('Up to this day, which is included, or before this time'),
  size: z.coerce
    .number()
    .int()
    .min(1)
    .max(MAX_SIZE)
    .default(100)
    .describe(`Maximum number of events, at most ${MAX_SIZE}`),
})

const text = z.string().nullable()
const event = z.object({
  node: z.string(),
  segment: z.string(),
  number: z.int(),
  time: z.string(),
  kind: z.enum(['answer', 'command']),
  action: z.string(),
  subject: text,
  request: text,
  credential_kind: text,
  credential_id: text,
  address: text,
  release: text,
  status: z.int().nullable(),
  bytes: z.int().nullable(),
  files: z.array(z.string()).describe('At most 100'),
  file_count: z.int(),
  cases: z.array(z.string()).describe('At most 100'),
  case_count: z.int(),
  projects: z.array(z.string()),
  entities: z.array(z.string()).describe('Submitted entities, at most 100'),
  entity_count: z.int(),
  transaction: z.int().nullable(),
  run: text,
  outcome: text,
  parameters: text,
})

/** Maximum number of ids of an event in the response. */
const MAX_IDS = 100

/** Endpoint for administrators that shows the newest lines of the record. */
export function auditEndpoints({ credentials, audit }: AuditEngine): readonly Endpoint[] {
  return Object.freeze([
    defineEndpoint({
      methods: ['GET'],
      path: '/audit/events',
      summary: 'Who had which controlled data',
      description:
        'The newest recorded answers and commands of this node first. Other nodes that share the ' +
        'state are named; `casemill audit export` unites their records. Reading is recorded, too.',
      tags: ['system'],
      compress: true,
      parameters,
      responses: {
        200: {
          description: 'The events of this node; `has_more` if there may be older ones',
          content: {
            'application/json': z.object({
              data: z.array(event),
              has_more: z.boolean(),
              node: z.string(),
              other_nodes: z.array(z.string()).describe('Nodes whose events are not in `data`'),
            }),
          },
        },
        403: { description: 'The token is missing, not valid, or not of an administrator.' },
        404: { description: 'No record is kept.' },
      },
      security: [{ token: [] }],
      async handle(call) {
        if (!audit) {
          const message = 'no record is kept; it is kept while CASEMILL_AUDIT=true is set'
          throw new EngineError('not_found', message)
        }
        const { token, turns, signal } = call
        const principal = token === undefined ? undefined : await credentials.verify(token)
        if (!principal?.admin) {
          const message = 'only administrators can read the record; use the token of one'
          throw new EngineError('forbidden', message)
        }
        call.granted({ principal })
        const { file_id: file, case_id: caseId, entity_id: entity, size, ...rest } = call.query()
        const run = { size, maxIds: MAX_IDS, turns, signal }
        const query = { ...rest, file, caseId, entity }
        const { events, hasMore, node, otherNodes } = await audit.recent(query, run)
        const data = events.map(({ fileCount, caseCount, entityCount, ...others }) => ({
          ...others,
          file_count: fileCount,
          case_count: caseCount,
          entity_count: entityCount,
        }))
        const headers = { 'Cache-Control': 'private, no-store' }
        const body = { data, has_more: hasMore, node, other_nodes: otherNodes }
        return longJson(turns, 200, body, headers)
      },
    }),
  ])
}
