import { z } from '@hono/zod-openapi'
import type { Caller, KeyStore, Role } from '../../engine/index.ts'
import { defineEndpoint, type Endpoint, type Method, type ResponseNote } from '../http/endpoint.ts'
import { json } from '../http/reply.ts'
import { registryFailures } from './errors.ts'
import { readJson } from './json-body.ts'
import { authorise } from './security.ts'

/** What a handler of this interface is given, when the caller may do what it does. */
export interface Asked<Path, Query> {
  readonly caller: Caller
  readonly path: Path
  readonly query: Query
  /** The JSON value that was posted; undefined where the operation takes none. */
  readonly body: unknown
}

export interface Operation<Path extends z.ZodObject, Query extends z.ZodObject> {
  readonly method: Method
  readonly path: string
  readonly summary: string
  readonly description?: string
  /** The role that the key must have; without it any key will do. */
  readonly role?: Role
  readonly names: Path
  readonly query?: Query
  /** What is posted, for the API document; the engine is who judges it. */
  readonly body?: z.ZodType
  readonly takesReserved?: true
  readonly success: readonly [status: 200 | 201, shape: z.ZodType] | readonly [status: 204]
  /** What may go wrong besides what may with every operation of its kind. */
  readonly failures: Readonly<Partial<Record<400 | 404, string>>>
  readonly handle: (asked: Asked<z.output<Path>, z.output<Query>>) => unknown
}

const SUCCESSES = { 200: 'As asked.', 201: 'Made.', 204: 'Done.' } as const

/** Health data and what editors see is not for caches (registry.md 7.9). */
export const UNCACHED = Object.freeze({ 'Cache-Control': 'no-store' })

/** One operation of the registry's interface: key and role first, then the body, then the work. */
export function defineOperation<
  Path extends z.ZodObject,
  Query extends z.ZodObject = z.ZodObject<Record<never, never>>,
>(keys: Pick<KeyStore, 'verify'>, tag: string, operation: Operation<Path, Query>): Endpoint {
  const { method, path, summary, description, role, names, body, success, handle } = operation
  const needs = role && `Needs the role ${role}.`
  const told = [description, needs].filter((text) => text !== undefined).join(' ')
  return defineEndpoint({
    methods: [method],
    path,
    summary,
    ...(told === '' ? {} : { description: told }),
    tags: [tag],
    pathParameters: names,
    parameters: operation.query ?? (z.object({}) as unknown as Query),
    ...(body && { content: { 'application/json': body } }),
    ...(operation.takesReserved && { takesReserved: true }),
    responses: responsesOf(operation),
    security: [{ apiKeyScheme: [] }],
    async handle(call) {
      const caller = authorise(call.headers, keys, role)
      const query = call.query()
      const posted = body && (await readJson(call.headers, call.body))
      const answer = await handle({ caller, path: call.path, query, body: posted })
      if (success[0] === 204) return new Response(null, { status: 204, headers: UNCACHED })
      return json(success[0], answer, UNCACHED)
    },
  })
}

function responsesOf<Path extends z.ZodObject, Query extends z.ZodObject>({
  role,
  query,
  body,
  success: [status, shape],
  failures,
}: Operation<Path, Query>): Record<number, ResponseNote> {
  const content = shape && { 'application/json': shape }
  const failing: Record<number, string> = {
    ...(query && { 400: 'A parameter of the query is not accepted.' }),
    ...(body && { 400: 'The body is not accepted.' }),
    401: 'The key is missing or not valid.',
    ...(role && { 403: `The key does not have the role ${role}.` }),
    ...(body && { 413: 'The body is too large.', 415: 'The body is not application/json.' }),
    ...failures,
  }
  const notes = Object.entries(failing).map(([code, description]) => [
    code,
    { description, content: { 'application/json': registryFailures.schema } },
  ])
  return {
    [status]: { description: SUCCESSES[status], ...(content && { content }) },
    ...Object.fromEntries(notes),
  }
}
