import { z } from '@hono/zod-openapi'
import type { Caller, KeyStore, Role, Warnings } from '../../engine/shared/index.ts'
import { Gate, type HeldRevisions } from '../../engine/shared/internal.ts'
import { defineEndpoint, type Endpoint, type Method, type ResponseNote } from '../http/endpoint.ts'
import { json, longJson } from '../http/reply.ts'
import { failureNotes } from './errors.ts'
import { readJson, readText } from './json-body.ts'
import { authorise, KEY_HEADER } from './security.ts'

/** Input of a handler, after the caller was authorised. */
interface AuthorisedCall<Path, Query> {
  readonly caller: Caller
  readonly path: Path
  readonly query: Query
  /** Posted JSON value or text. Undefined if the operation takes no body. */
  readonly body: unknown
  /** Revisions that the caller takes for current (`If-Match`). */
  readonly held: HeldRevisions | undefined
  /** Warnings about the request, sent as `X-Warnings`. */
  readonly warnings: Warnings
}

interface AnswerNotes {
  readonly revision?: number
  /** Changes when members that are derived from other records may have changed. */
  readonly derivedAt?: number | undefined
  /** Whether the response contains more than the revision covers. If so, 304 is never sent. */
  readonly showsMore?: boolean
  readonly total?: number
}

/** A response with headers, see answered. */
class Answer {
  readonly value: unknown
  readonly headers: Readonly<Record<string, string>>
  /** Cache validator: equal for two requests with the same key if their responses are identical. */
  readonly validator: string | undefined

  constructor(value: unknown, headers: Answer['headers'] = {}, validator?: string) {
    this.value = value
    this.headers = headers
    this.validator = validator
  }
}

/** Returns a response with headers: the revision as `ETag`, and a total. */
export function answered(
  value: unknown,
  { revision, derivedAt, showsMore = false, total }: AnswerNotes,
): unknown {
  const derived = derivedAt === undefined ? '' : `.${derivedAt}`
  const tag = revision === undefined ? undefined : `"${revision}${derived}"`
  const headers = {
    ...(tag !== undefined && { ETag: tag }),
    ...(total !== undefined && { 'X-Total-Count': String(total) }),
  }
  return new Answer(value, headers, showsMore ? undefined : tag)
}

interface Operation<Path extends z.ZodObject, Query extends z.ZodObject> {
  readonly method: Method
  readonly path: string
  readonly summary: string
  readonly description?: string
  /** Role that the key must have. Any key is sufficient if it is undefined. */
  readonly role?: Role
  readonly pathParameters: Path
  readonly query?: Query
  /** Schema of the body for the API document. The engine validates it. */
  readonly body?: z.ZodType
  /** Whether the body is text instead of JSON. */
  readonly takesText?: true
  readonly takesReserved?: true
  readonly success: readonly [status: 200 | 201, shape: z.ZodType] | readonly [status: 204]
  /** Possible errors besides those that all operations of this kind have. */
  readonly failures: Readonly<Partial<Record<400 | 404 | 409 | 412, string>>>
  /** Whether responses may have megabytes: two are made at a time, each in several turns of the event loop. */
  readonly isLarge?: true
  /** Whether the response has a revision. A client that has the current revision gets 304. */
  readonly revalidates?: true
  readonly handle: (call: AuthorisedCall<z.output<Path>, z.output<Query>>) => unknown
}

const SUCCESSES = {
  200: 'Success.',
  201: 'Created.',
  204: 'Success, without a body.',
} as const

/** Describes status 412 for the API document. */
export const changedSince = (noun: string) =>
  `The ${noun} has changed since the revision in If-Match.`

/** Health data and data for editors must not be cached (registry.md 7.9). */
export const UNCACHED = Object.freeze({ 'Cache-Control': 'no-store' })
/** Only the client may cache the response. It must revalidate it, because that checks the rights of the key again. */
const REVALIDATED = Object.freeze({ 'Cache-Control': 'private, no-cache', Vary: KEY_HEADER })

/** Defines a registry operation, which checks key and role, parses the body, and runs the handler. */
export function defineOperation<
  Path extends z.ZodObject,
  Query extends z.ZodObject = z.ZodObject<Record<never, never>>,
>(keys: Pick<KeyStore, 'verify'>, tag: string, operation: Operation<Path, Query>): Endpoint {
  const { method, path, summary, description, role, pathParameters, success, revalidates, handle } =
    operation
  const posts = postedType(operation)
  const gate = operation.isLarge ? new Gate(LARGE_AT_ONCE, LARGE_WAITING, LARGE_BUSY) : undefined
  const needs = role && `Needs the role ${role}.`
  const notes = [description, needs].filter((text) => text !== undefined).join(' ')
  return defineEndpoint({
    methods: [method],
    path,
    summary,
    ...(notes === '' ? {} : { description: notes }),
    tags: [tag],
    pathParameters,
    ...(operation.query && { parameters: operation.query }),
    ...(posts
      ? { content: { [posts]: operation.body ?? z.string() } }
      : { takesQueryOnly: true as const }),
    ...(operation.takesReserved && { takesReserved: true }),
    responses: responsesOf(operation),
    security: [{ apiKeyScheme: [] }],
    async handle(call) {
      const caller = await authorise(call.headers, keys, role)
      const query = call.query()
      const read = posts === TEXT ? readText : readJson
      const body = posts && (await read(call.headers, call.body, call.turns))
      const held = heldRevisions(call.headers.get('if-match'))
      const { path, warnings } = call
      const leave = await gate?.enter(call.signal)
      try {
        const answer = await handle({ caller, path, query, body, held, warnings })
        const { value, headers, validator } = answer instanceof Answer ? answer : new Answer(answer)
        const isKept = revalidates && validator !== undefined
        const sent = { ...(isKept ? REVALIDATED : UNCACHED), ...headers }
        const unchanged = isKept ? call.unchanged(validator, sent) : undefined
        if (unchanged) return unchanged
        if (success[0] === 204) return new Response(null, { status: 204, headers: sent })
        if (gate) return await longJson(call.turns, success[0], value, sent)
        return json(success[0], value, sent)
      } finally {
        leave?.()
      }
    },
  })
}

/** Large responses of an operation that are made at a time, and requests that wait for their turn. */
const LARGE_AT_ONCE = 2
const LARGE_WAITING = 256
const LARGE_BUSY = 'too many ask for large responses at once; try again later'

const TEXT = 'text/plain'

function postedType({
  body,
  takesText,
}: Pick<Operation<z.ZodObject, z.ZodObject>, 'body' | 'takesText'>): string | undefined {
  if (takesText) return TEXT
  return body && 'application/json'
}

/**
 * Parses `If-Match`. `*` matches any revision. Weak validators are ignored, because they do not identify stored
 * data (RFC 9110 section 13.1.1). The part for derived members is ignored, because an edit does not change them.
 */
function heldRevisions(ifMatch: string | null): HeldRevisions | undefined {
  if (ifMatch === null) return undefined
  if (ifMatch.trim() === '*') return 'any'
  const tags = ifMatch.match(/(?:W\/)?"[^"]*"/g) ?? []
  return tags
    .filter((tag) => tag.startsWith('"'))
    .map((tag) => tag.slice(1, -1).replace(/^(\d+)\.\d+$/, '$1'))
}

function responsesOf<Path extends z.ZodObject, Query extends z.ZodObject>(
  operation: Operation<Path, Query>,
): Record<number, ResponseNote> {
  const { role, query, failures, revalidates } = operation
  const [status, shape] = operation.success
  const posts = postedType(operation)
  const content = shape && { 'application/json': shape }
  const failing = failureNotes({
    ...(query && { 400: 'A parameter of the query is not accepted.' }),
    ...(posts && { 400: 'The body is not accepted.' }),
    401: 'The key is missing or not valid.',
    ...(role && { 403: `The key does not have the role ${role}.` }),
    ...(posts && { 413: 'The body is too large.', 415: `The body is not ${posts}.` }),
    ...failures,
  })
  return {
    [status]: { description: SUCCESSES[status], ...(content && { content }) },
    ...(revalidates && { 304: { description: 'The client already has it (`If-None-Match`).' } }),
    ...failing,
  }
}
