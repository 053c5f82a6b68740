import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { z } from '@hono/zod-openapi'
import type { ByteStream, Grant, LoopTurns, Warnings } from '../../engine/shared/index.ts'
import { bodyChunks, parseParameters, readBody } from './body.ts'
import { compressed } from './compress.ts'
import { downloadCookieEnds } from './download-cookie.ts'
import { heldEtag } from './etag.ts'
import { type AppContext, type AppEnv, type Exchange, exchangeOf } from './exchange.ts'
import { collect } from './form.ts'
import { type Given, refuseUntaken, type Taken, warnOfGiven } from './given-parameters.ts'
import type { Sender } from './inflow.ts'
import { LARGE_BODY_BYTES } from './json-text.ts'
import { versionPrefix } from './path.ts'
import { type Coding, preferredCoding } from './preference.ts'
import type { Prepared } from './prepared.ts'
import { ReadAhead } from './read-ahead.ts'
import { type AnswerHead, heldPieces, sendStream } from './stream.ts'
import { sentToken, sessionToken } from './token.ts'
import { validate } from './validate.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'

export interface ResponseNote {
  readonly description: string
  /** Schemas keyed by content type, `z.unknown()` for bytes and free text. Absent if there is no body. */
  readonly content?: Readonly<Record<string, z.ZodType>>
}

/** Maximum size in bytes of a body with parameters. 100,000 ids take 4 MB. Larger bodies would cost too much. */
export const MAX_PARAMETER_BYTES = 5 << 20

/** Scheme names of the module, with the required scopes. */
export type SecurityRequirement = Readonly<Record<string, readonly string[]>>

/** Input of a handler: validated path parameters, and access to the rest. */
export interface Call<Path, Parameters> {
  readonly path: Path
  /**
   * Reads and validates the parameters of the query string and of the JSON or form body. The body takes
   * precedence. The handler decides when to call this, and thereby which errors come first.
   * @throws EngineError `bad_input` for invalid parameters, `too_large` for a body beyond the limit
   */
  input(): Promise<Parameters>
  /**
   * Validates the parameters of the query string only. For requests whose body has no parameters.
   * @throws EngineError `bad_input` for invalid parameters
   */
  query(): Parameters
  /**
   * Reads the raw body. For requests whose body has no parameters.
   * @param maxBytes limit that is lower than the general one
   * @throws EngineError `too_large` for a body beyond the limit
   */
  body(maxBytes?: number): Promise<Uint8Array>
  /** Yields the raw body as it arrives, with no size limit. Slow clients are disconnected. */
  chunks(): AsyncIterable<Uint8Array>
  /**
   * Reads the raw body of a client that may send the whole body before it reads the response.
   * @param takesCoded whether the body may be compressed; the caller then decompresses it
   */
  readAhead(maxBytes: number, takesCoded?: boolean): ReadAhead
  /** Warnings about the request, sent as `X-Warnings`. */
  readonly warnings: Warnings
  /** Turns of the event loop, shared by all requests, for long work in steps. */
  readonly turns: LoopTurns
  readonly token: string | undefined
  /** Notes controlled data that the answer has, if the engine cannot note it itself. */
  granted(grant: Grant): void
  /** Hash of the address that identifies the client. Equal addresses give equal text. */
  readonly client: string
  /** Aborts when the client disconnects or the server stops. Pass it to every call of the engine. */
  readonly signal: AbortSignal
  readonly headers: Headers
  readonly method: string
  /** Path prefix of the request, for links in the response. */
  readonly prefix: string
  /** Whether the method is GET or HEAD. Responses to other methods are not cached and need no validator. */
  readonly isRead: boolean
  /** Returns a response with status 304 if the client has the response with this validator. */
  unchanged(etag: string, headers: Readonly<Record<string, string>>): Response | undefined
  /** Sends the bytes and disposes of the stream in any case. */
  stream(bytes: ByteStream, head: AnswerHead): Promise<Response>
  /**
   * Sends pieces that are in memory. Until they are sent, they count as memory of request bodies.
   * @throws EngineError `busy` if request bodies use too much memory
   */
  pieces(pieces: readonly Uint8Array[], head: AnswerHead): Promise<Response>
  /** Sends a prepared response, or 304. */
  send(prepared: Prepared, headers?: Readonly<Record<string, string>>): Promise<Response>
}

interface EndpointDefinition<Path extends z.ZodObject, Parameters extends z.ZodObject> {
  readonly methods: readonly Method[]
  /** Path with parameters in braces, as in OpenAPI: `/files/{file_id}`. */
  readonly path: string
  readonly summary: string
  /** Further description in Markdown. */
  readonly description?: string
  readonly tags: readonly string[]
  /** Whether responses may be compressed. Files never are: clients count their bytes (data-commons.md 5.2). */
  readonly compress?: true
  readonly pathParameters?: Path
  readonly parameters?: Parameters
  /** Single-valued parameters that may be repeated nevertheless. */
  readonly single?: readonly string[]
  /** Content types of a body that has no parameters. Parameters then come only from the query string. */
  readonly content?: ResponseNote['content']
  /** Whether parameters come only from the query string although the method could have a body. */
  readonly takesQueryOnly?: true
  /** Whether the handler also runs for a reserved name, so that it can reject the name with its own message. */
  readonly takesReserved?: true
  /** Words that a path parameter cannot have, keyed by parameter. Such a path belongs to another endpoint. */
  readonly reserved?: Readonly<Record<string, ReadonlySet<string>>>
  readonly responses: Readonly<Record<number, ResponseNote>>
  /** Security requirements as in OpenAPI. `[{}, { token: [] }]` is an optional token. */
  readonly security?: readonly SecurityRequirement[]
  readonly handle: (
    call: Call<z.output<Path>, z.output<Parameters>>,
  ) => Response | Promise<Response>
}

/** A route as data. It is used to serve requests and to document the endpoint. */
export interface Endpoint {
  readonly methods: readonly Method[]
  readonly path: string
  readonly summary: string
  readonly description?: string
  readonly tags: readonly string[]
  readonly pathParameters: z.ZodObject
  readonly parameters: z.ZodObject
  readonly content?: ResponseNote['content']
  readonly takesQueryOnly?: true
  readonly takesReserved?: true
  readonly reserved?: Readonly<Record<string, ReadonlySet<string>>>
  readonly responses: Readonly<Record<number, ResponseNote>>
  readonly security: readonly SecurityRequirement[]
  readonly run: (c: AppContext) => Response | Promise<Response>
}

type NoParameters = z.ZodObject<Record<never, never>>

/**
 * How every route is written.
 *
 * @example
 * defineEndpoint({
 *   methods: ['GET'], path: '/files/{file_id}', summary: 'One file', tags: ['search'],
 *   pathParameters: z.object({ file_id: z.string() }),
 *   responses: { 200: { description: 'The file', content: { 'application/json': fileEnvelope } } },
 *   handle: async ({ path, signal }) => json(200, await search.record('files', path.file_id, { signal })),
 * })
 */
export function defineEndpoint<
  Path extends z.ZodObject = NoParameters,
  Parameters extends z.ZodObject = NoParameters,
>(definition: EndpointDefinition<Path, Parameters>): Endpoint {
  const {
    pathParameters,
    parameters,
    single,
    security = [],
    compress,
    handle,
    ...rest
  } = definition
  const taken: Taken = { names: parameters?.shape ?? {}, single }
  // Created once, because a schema compiles its checks on first use.
  const schemas = {
    pathParameters: pathParameters ?? z.object({}),
    parameters: parameters ?? z.object({}),
    taken,
  }
  return Object.freeze({
    ...rest,
    security,
    pathParameters: schemas.pathParameters,
    parameters: schemas.parameters,
    run: async (c: AppContext) => {
      const request = compress ? c.req.raw.headers.get('accept-encoding') : null
      const query = queryOf(c)
      refuseUntaken(query, taken, exchangeOf(c).neverIgnored)
      const call = callOf<Path, Parameters>(c, query, preferredCoding(request), schemas)
      return withNotes(await handle(call), exchangeOf(c))
    },
  })
}

const queryOf = (c: AppContext) => collect(new URL(c.req.raw.url).searchParams)

/** Returns the additional headers of a response. */
function notesOf({ warnings: { header } }: Exchange) {
  return header === undefined ? {} : { 'X-Warnings': header }
}

/** Adds the warnings to a successful response, unless the response has already been sent. */
function withNotes(response: Response, exchange: Exchange): Response {
  if (!response.ok || response === RESPONSE_ALREADY_SENT) return response
  for (const [name, value] of Object.entries(notesOf(exchange))) response.headers.set(name, value)
  for (const cookie of exchange.downloadCookieEnds) response.headers.append('Set-Cookie', cookie)
  return response
}

/** Schemas and names that a call is validated against. */
interface Schemas {
  readonly pathParameters: z.ZodObject
  readonly parameters: z.ZodObject
  readonly taken: Taken
}

function callOf<Path extends z.ZodObject, Parameters extends z.ZodObject>(
  c: AppContext,
  query: Given,
  coding: Coding,
  { pathParameters, parameters, taken }: Schemas,
): Call<z.output<Path>, z.output<Parameters>> {
  const request = c.req.raw
  const exchange = exchangeOf(c)
  const { warnings, neverIgnored } = exchange
  const begin = (giveUp: Sender['giveUp']) => {
    const socket = (c.env as AppEnv['Bindings'] | undefined)?.incoming?.socket
    return exchange.inflow.begin({ giveUp, socket })
  }
  const arrive = (giveUp: Sender['giveUp']) => {
    exchange.body = begin(giveUp)
    return exchange.body
  }
  const terms = { ...exchange.limits, arrive, turns: exchange.inflow.turns }
  const body = async (maxBytes = Number.POSITIVE_INFINITY) => {
    const bodyBytes = Math.min(terms.bodyBytes, maxBytes)
    const bytes = await readBody(request, { ...terms, bodyBytes })
    // Waits for a turn, so that several large bodies are not parsed in one turn of the event loop.
    if (bytes.length > LARGE_BODY_BYTES) await exchange.inflow.turns.next()
    return bytes
  }
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  const unchanged: Call<Path, Parameters>['unchanged'] = (etag, headers) => {
    if (!isRead) return undefined
    const held = heldEtag(request.headers.get('if-none-match'), etag, coding)
    if (held === undefined) return undefined
    return new Response(null, { status: 304, headers: { ...headers, ETag: held } })
  }
  const stream: Call<Path, Parameters>['stream'] = (bytes, head) => {
    const headers = { ...head.headers, ...notesOf(exchange) }
    const cookies = exchange.downloadCookieEnds
    return sendStream(c, compressed({ ...head, bytes, headers, cookies }, coding))
  }
  const checked = (given: unknown) => validate(parameters, given) as z.output<Parameters>
  return {
    path: validate(pathParameters, c.req.param()) as z.output<Path>,
    async input() {
      const type = request.headers.get('content-type') ?? ''
      const bytes = await body(MAX_PARAMETER_BYTES)
      const parameters = await parseParameters(bytes, type, exchange.inflow.turns)
      // Parsing JSON text inside the body takes as long as parsing the body, so the event loop gets another turn.
      if (bytes.length > LARGE_BODY_BYTES) await exchange.inflow.turns.next()
      refuseUntaken(parameters, taken, neverIgnored)
      warnOfGiven({ query, body: parameters }, taken, warnings)
      exchange.downloadCookieEnds = downloadCookieEnds({ ...query, ...parameters }, request.headers)
      const input = checked({ ...query, ...parameters })
      // Checking a hundred thousand values takes long, too, so the event loop gets another turn.
      if (bytes.length > LARGE_BODY_BYTES) await exchange.inflow.turns.next()
      return exchange.completeInput(input)
    },
    query() {
      warnOfGiven({ query }, taken, warnings)
      return checked(query)
    },
    body,
    chunks: () => bodyChunks(request, terms),
    readAhead: (maxBytes, takesCoded = false) =>
      new ReadAhead(bodyChunks(request, { ...terms, takesCoded }), { maxBytes, arrive: begin }),
    warnings,
    turns: exchange.inflow.turns,
    token: sentToken(request.headers) ?? sessionToken(request),
    granted: (grant) => exchange.granted(grant),
    client: exchange.client(),
    signal: request.signal,
    headers: request.headers,
    method: request.method,
    prefix: versionPrefix(request),
    isRead,
    unchanged,
    stream,
    async pieces(pieces, head) {
      return stream(heldPieces(pieces, exchange.inflow), head)
    },
    async send(prepared, more = {}) {
      const headers = { 'Cache-Control': 'no-cache', Vary: 'Accept-Encoding', ...more }
      return unchanged(prepared.etag, headers) ?? (await prepared.answer(coding, headers))
    },
  }
}
