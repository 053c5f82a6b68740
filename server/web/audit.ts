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
        'The newest recorded answers and commands of this node first. Reading them is recorded, ' +
        'too. `casemill audit export` has all of them.',
      tags: ['system'],
      compress: true,
      parameters,
      responses: {
        200: {
          description: 'The events; `has_more` if there may be older ones',
          content: {
            'application/json': z.object({ data: z.array(event), has_more: z.boolean() }),
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
        const { file_id: file, case_id: caseId, size, ...rest } = call.query()
        const run = { size, maxIds: MAX_IDS, turns, signal }
        const { events, hasMore } = await audit.recent({ ...rest, file, caseId }, run)
        const data = events.map(({ fileCount, caseCount, ...others }) => ({
          ...others,
          file_count: fileCount,
          case_count: caseCount,
        }))
        const headers = { 'Cache-Control': 'private, no-store' }
        return longJson(turns, 200, { data, has_more: hasMore }, headers)
      },
    }),
  ])
}
