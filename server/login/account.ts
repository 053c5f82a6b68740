import { z } from '@hono/zod-openapi'
import {
  type Authenticator,
  type CreatePersonalToken,
  EngineError,
  type Principal,
} from '../../engine/shared/index.ts'
import { type Call, defineEndpoint, type Endpoint } from '../http/endpoint.ts'
import { json } from '../http/reply.ts'
import { isSession, type Login, NEVER_KEPT } from './people.ts'

interface AccountEngine {
  readonly credentials: Pick<Authenticator, 'verify'>
}

/** Maximum size of the fields of a token in bytes. */
const BODY_BYTES = 16 << 10
/** Maximum number of projects in a body, more than a scope can have. */
const MAX_GIVEN = 200

/** A token as it is listed. */
export const shown = z.object({
  id: z.string().describe('Names the token. It is not secret.'),
  name: z.string(),
  read_only: z.boolean(),
  projects: z
    .array(z.string())
    .nullable()
    .describe('Ids of projects, or null for all of the owner.'),
  created_datetime: z.string(),
  expires_datetime: z.string(),
})

/** The fields of a token that is to be made. */
export const wanted = z.strictObject({
  name: z.string().max(200).describe('1 to 64 characters, to recognise the token by.'),
  days: z.number().optional().describe('Lifetime in whole days, 1 to 365. 30 by default.'),
  read_only: z.boolean().optional().describe('Whether the token can only read. True by default.'),
  projects: z
    .array(z.string().max(200))
    .max(MAX_GIVEN)
    .nullable()
    .optional()
    .describe('Ids of projects that the token reaches. All of yours by default.'),
})

const refusals = {
  401: { description: 'Nobody is logged in.' },
  403: {
    description:
      'The request has a token instead of a session, or no page of this service sent it.',
  },
}

/** Endpoints by which people make, list and revoke their own tokens. Only a session can, never a token. */
export function accountEndpoints(
  { credentials }: AccountEngine,
  { people }: Login,
): readonly Endpoint[] {
  const person = async ({ token }: Call<unknown, unknown>): Promise<Principal> => {
    const principal = token === undefined ? undefined : await credentials.verify(token)
    if (principal && isSession(principal)) return principal
    if (!principal) throw nobody()
    const message = 'tokens are made and revoked on the page of your account, not by a token'
    throw new EngineError('forbidden', message)
  }
  const common = { tags: ['system'], security: [] } as const
  return Object.freeze([
    defineEndpoint({
      ...common,
      methods: ['GET'],
      path: '/auth/tokens',
      summary: 'The tokens of the person who is logged in, without their secrets',
      responses: {
        200: {
          description: 'Tokens that have not expired, oldest first',
          content: { 'application/json': z.object({ tokens: z.array(shown) }) },
        },
        ...refusals,
      },
      handle: (call) =>
        or401(async () => {
          const { user } = await person(call)
          const tokens = await people.tokens.list(user)
          return json(200, { tokens: tokens.map(shownToken) }, NEVER_KEPT)
        }),
    }),
    defineEndpoint({
      ...common,
      methods: ['POST'],
      path: '/auth/tokens',
      summary: 'Make a token for a program; its secret is shown only once',
      content: { 'application/json': wanted },
      responses: {
        201: {
          description: 'The token',
          content: { 'application/json': shown.extend({ token: z.string() }) },
        },
        ...refusals,
        409: { description: 'The person has 50 tokens.' },
      },
      handle: (call) =>
        or401(async () => {
          const principal = await person(call)
          const { user } = principal
          const given = readJson(await call.body(BODY_BYTES), wanted)
          const { secret, ...token } = await people.tokens.create(user, tokenOf(given))
          // Tokens are recorded like the data that they open.
          call.granted({ principal, projects: token.scope.projects ?? [], isChange: true })
          return json(201, { ...shownToken(token), token: secret }, NEVER_KEPT)
        }),
    }),
    defineEndpoint({
      ...common,
      methods: ['DELETE'],
      path: '/auth/tokens/{token_id}',
      summary: 'Revoke a token of the person who is logged in',
      pathParameters: z.object({ token_id: z.string() }),
      responses: {
        204: { description: 'The token is revoked.' },
        ...refusals,
        404: { description: 'The person has no such token.' },
      },
      handle: (call) =>
        or401(async () => {
          const principal = await person(call)
          await people.tokens.revoke(principal.user, call.path.token_id)
          call.granted({ principal, isChange: true, isRevocation: true })
          return new Response(null, { status: 204, headers: NEVER_KEPT })
        }),
    }),
  ])
}

type Token = Awaited<ReturnType<Login['people']['tokens']['list']>>[number]

/** Returns a token to make, as the engine takes it. */
export function tokenOf(given: z.output<typeof wanted>): CreatePersonalToken {
  const { name, days, read_only: readOnly = true, projects } = given
  return { name, days, readOnly, projects: projects ?? undefined }
}

export function shownToken({
  id,
  name,
  scope,
  createdAt,
  expiresAt,
}: Token): z.output<typeof shown> {
  return {
    id,
    name,
    read_only: scope.readOnly,
    projects: scope.projects ? [...scope.projects] : null,
    created_datetime: createdAt,
    expires_datetime: expiresAt,
  }
}

/**
 * Reads a body of JSON.
 * @throws EngineError `bad_input` if it is not JSON or does not have the shape
 */
export function readJson<Shape extends z.ZodObject>(
  bytes: Uint8Array,
  shape: Shape,
): z.output<Shape> {
  let given: unknown
  try {
    given = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw new EngineError('bad_input', 'the body is not JSON; send an object with a name')
  }
  const read = shape.safeParse(given)
  if (read.success) return read.data
  const [issue] = read.error.issues
  const at = issue?.path.join('.') ?? ''
  const names = Object.keys(shape.shape).join(', ')
  const message = `the body is not accepted; use ${names}: ${issue?.message ?? ''}`
  throw new EngineError('bad_input', message, at === '' ? {} : { at })
}

const nobody = () =>
  new EngineError('unauthenticated', 'nobody is logged in at an institution; log in at /auth/login')

/** Answers 401 if nobody is logged in, as the other paths below /auth do for browsers. */
async function or401(work: () => Promise<Response>): Promise<Response> {
  try {
    return await work()
  } catch (cause) {
    if (!(cause instanceof EngineError) || cause.code !== 'unauthenticated') throw cause
    return json(401, { error: cause.message, message: cause.message }, NEVER_KEPT)
  }
}
