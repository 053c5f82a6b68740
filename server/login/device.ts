import { z } from '@hono/zod-openapi'
import { EngineError } from '../../engine/shared/index.ts'
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts'
import { requireOwnPage } from '../http/origin.ts'
import { json } from '../http/reply.ts'
import { readJson, shown, shownToken, tokenOf, wanted } from './account.ts'
import { type Login, NEVER_KEPT, principalOf } from './people.ts'

/** Maximum size of a body in bytes. */
const BODY_BYTES = 16 << 10

const begun = z.object({
  device_code: z.string().describe('Secret of the program, with which it asks for the token.'),
  user_code: z.string().describe('Code that the person compares or types.'),
  verification_uri: z.string().describe('Page of the institution for the person.'),
  verification_uri_complete: z.string().optional().describe('The same page with the code.'),
  expires_in: z.number().describe('Seconds for which the codes are valid.'),
  interval: z.number().describe('Least seconds between two requests for the token.'),
})

const asked = wanted.extend({ device_code: z.string().min(1).max(4096) })
const waiting = z.object({ status: z.enum(['pending', 'slow_down']) })
const away = { description: 'The institution does not answer.' }

/** Endpoints by which programs without a browser log a person in (`casemill login`). */
export function deviceEndpoints({ provider, people }: Login): readonly Endpoint[] {
  const common = { tags: ['system'], security: [] } as const
  return Object.freeze([
    defineEndpoint({
      ...common,
      methods: ['POST'],
      path: '/auth/device',
      summary: 'Begin the log-in of a program without a browser',
      takesQueryOnly: true,
      responses: {
        200: { description: 'What the person has to do', content: { 'application/json': begun } },
        403: { description: 'A page of another site sent the request.' },
        501: { description: 'The institution does not offer this.' },
        503: away,
      },
      async handle({ headers, client }) {
        requireOwnPage(headers)
        const device = await provider.beginDevice(client)
        const body: z.output<typeof begun> = {
          device_code: device.deviceCode,
          user_code: device.userCode,
          verification_uri: device.address,
          verification_uri_complete: device.completeAddress,
          expires_in: device.expiresInSeconds,
          interval: device.intervalSeconds,
        }
        return json(200, body, NEVER_KEPT)
      },
    }),
    defineEndpoint({
      ...common,
      methods: ['POST'],
      path: '/auth/device/token',
      summary: 'Make a token once the person has logged the program in',
      content: { 'application/json': asked },
      responses: {
        201: {
          description: 'The token',
          content: { 'application/json': shown.extend({ token: z.string() }) },
        },
        202: {
          description: 'The person has not logged in yet',
          content: { 'application/json': waiting },
        },
        403: { description: 'The person refused, or the codes are no longer valid.' },
        409: { description: 'The person has 50 tokens.' },
        503: away,
      },
      async handle(call) {
        requireOwnPage(call.headers)
        const given = readJson(await call.body(BODY_BYTES), asked)
        const token = tokenOf(given)
        // The code is spent by the log-in, so all else is checked first.
        people.tokens.check(token)
        const person = await provider.pollDevice(given.device_code, call.client)
        if (person === 'pending' || person === 'slow_down') {
          return json(202, { status: person }, NEVER_KEPT)
        }
        if (person === 'refused') {
          const message = 'the log-in was refused or took too long; begin again'
          throw new EngineError('forbidden', message)
        }
        const user = await people.sessions.record(person)
        const { secret, ...made } = await people.tokens.create(user, token)
        const principal = principalOf(user, { kind: 'token', id: made.id })
        call.granted({ principal, isChange: true })
        return json(201, { ...shownToken(made), token: secret }, NEVER_KEPT)
      },
    }),
  ])
}
