import type { z } from '@hono/zod-openapi'
import type { ByteStream, Caller, KeyStore } from '../../engine/shared/index.ts'
import { defineEndpoint, type Endpoint, type ResponseNote } from '../http/endpoint.ts'
import { failureNotes } from './errors.ts'
import { UNCACHED } from './operation.ts'
import { authorise } from './security.ts'

interface StreamedAnswer {
  readonly bytes: ByteStream
  readonly type: string
  readonly headers?: Readonly<Record<string, string>>
}

interface Streamed<Path extends z.ZodObject, Query extends z.ZodObject> {
  readonly path: string
  readonly summary: string
  readonly description?: string
  readonly pathParameters: Path
  readonly query?: Query
  /** Schemas of the response, keyed by content type. */
  readonly content: NonNullable<ResponseNote['content']>
  readonly compress?: true
  readonly failures: Readonly<Partial<Record<400 | 404, string>>>
  readonly handle: (call: {
    readonly caller: Caller
    readonly path: z.output<Path>
    readonly query: z.output<Query>
    readonly signal: AbortSignal
  }) => Promise<StreamedAnswer>
}

/** Defines an endpoint for any key. Its response is streamed, because it is too large for memory. */
export function defineStreamed<
  Path extends z.ZodObject,
  Query extends z.ZodObject = z.ZodObject<Record<never, never>>,
>(keys: Pick<KeyStore, 'verify'>, tag: string, streamed: Streamed<Path, Query>): Endpoint {
  const { path, summary, description, pathParameters, query, content, compress, handle } = streamed
  return defineEndpoint({
    methods: ['GET'],
    path,
    summary,
    tags: [tag],
    pathParameters,
    ...(description && { description }),
    ...(query && { parameters: query }),
    ...(compress && { compress }),
    takesQueryOnly: true,
    responses: {
      200: { description: 'The result, in the requested format.', content },
      ...failureNotes({
        ...(query && { 400: 'A parameter of the query is not accepted.' }),
        401: 'The key is missing or not valid.',
        ...streamed.failures,
      }),
    },
    security: [{ apiKeyScheme: [] }],
    async handle(call) {
      const caller = await authorise(call.headers, keys, undefined)
      const answer = await handle({
        caller,
        path: call.path,
        query: call.query(),
        signal: call.signal,
      })
      const headers = { ...UNCACHED, 'Content-Type': answer.type, ...answer.headers }
      return call.stream(answer.bytes, { status: 200, headers })
    },
  })
}
