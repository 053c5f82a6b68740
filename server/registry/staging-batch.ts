import { z } from '@hono/zod-openapi'
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts'
import { registryFailures } from './errors.ts'
import { requireType } from './json-body.ts'
import { UNCACHED } from './operation.ts'
import { authorise } from './security.ts'
import type { StagingEngine } from './staging.ts'
import { NO_VERSION, ofVersion, STAGING, TAG } from './staging-names.ts'
import { inputMap, stagingData } from './staging-shapes.ts'

const LINES = 'application/x-ndjson'
/** What it is called besides; one JSON object is a line, too. */
const LINES_TYPE = /^application\/(?:json|(?:x-)?(?:ndjson|jsonl|json-?lines))\s*(?:;|$)/i

const lineError = z
  .object({
    line: z.int().describe('The number of the line, from 1'),
    error: z.object({
      code: z.enum(['bad_input', 'too_large', 'too_many']),
      message: z.string(),
      at: z.string().optional().describe('The member that is wrong'),
    }),
  })
  .openapi('StagingLineError')

/** Any number of cases in one request, read and answered line by line. */
export function batchEndpoints({ keys, staging }: StagingEngine): readonly Endpoint[] {
  const failure = (description: string) => ({
    description,
    content: { 'application/json': registryFailures.schema },
  })
  return Object.freeze([
    defineEndpoint({
      methods: ['POST'],
      path: `${STAGING}/{algorithm}/{version}/stage/batch`,
      summary: 'Stage cases, one on each line',
      description:
        'Answers a line for each line, in their order; one that is no case is answered by an error ' +
        'with its number. A line has at most 1 MiB, an empty one is an error. Clients have to read ' +
        'while they send: what nobody takes is not worked on ahead.',
      tags: [TAG],
      pathParameters: ofVersion,
      parameters: z.object({
        explain: z
          .enum(['true', 'false'])
          .optional()
          .describe('true: tells each look at a table and the row that answered'),
      }),
      content: { [LINES]: inputMap },
      responses: {
        200: { description: 'As asked.', content: { [LINES]: z.union([stagingData, lineError]) } },
        400: failure('A parameter of the query is not accepted.'),
        401: failure('The key is missing or not valid.'),
        404: failure(NO_VERSION),
        415: failure(`The body is not ${LINES}.`),
      },
      security: [{ apiKeyScheme: [] }],
      async handle(call) {
        const caller = authorise(call.headers, keys, undefined)
        const { explain } = call.query()
        requireType(call.headers, LINES_TYPE, LINES)
        const { algorithm, version } = call.path
        const { body, close } = await staging.stageLines(
          ...([caller, algorithm, version, call.chunks()] as const),
          { explain: explain === 'true', signal: call.signal },
        )
        return call.stream({
          status: 200,
          headers: { ...UNCACHED, 'Content-Type': LINES },
          ...{ body, close },
        })
      },
    }),
  ])
}
