import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { z } from '@hono/zod-openapi'
import type { ByteStream, LoopTurns, Warnings } from '../../engine/shared/index.ts'
import { bodyChunks, parseParameters, readBody } from './body.ts'
import { compressed } from './compress.ts'
import { downloadCookieEnds } from './download-cookie.ts'
import { heldEtag } from './etag.ts'
import { type AppContext, type AppEnv, type Exchange, exchangeOf } from './exchange.ts'
import { collect } from './form.ts'
import { type Given, refuseUntaken, type Taken, warnOfGiven } from './given-parameters.ts'
import type { Sender } from './inflow.ts'
import { versionPrefix } from './path.ts'
import { type Coding, preferredCoding } from './preference.ts'
import type { Prepared } from './prepared.ts'
import { ReadAhead } from './read-ahead.ts'
import { type AnswerHead, sendStream } from './stream.ts'
import { sentToken, sessionToken } from './token.ts'
import { validate } from './validate.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'

export interface ResponseNote {
  readonly description: string
  /** Schema by content type; `z.unknown()` for bytes and free text. Absent: no body. */
  readonly content?: Readonly<Record<string, z.ZodType>>
}

/**
 * Bytes of a body of parameters: 100,000 ids are 4 MB. More would cost more than an error may, before
 * anything is known of the request.
 */
export const MAX_PARAMETER_BYTES = 5 << 20

/** Reading it takes a millisecond or so, and more. */
const LARGE_BODY_BYTES = 64 << 10

/** Scheme names of the module, with the scopes that are needed. */
export type SecurityRequirement = Readonly<Record<string, readonly string[]>>

/** What a handler is given: checked path parameters, and the rest on demand. */
export interface Call<Path, Parameters> {
  readonly path: Path
  /**
   * The parameters of the query string and of the JSON or form body, merged under the same names
   * (the body wins) and checked. Reading and checking happen here, so a handler decides which
   * errors come first.
   * @throws EngineError `bad_input`, `too_large`
   */
  input(): Promise<Parameters>
  /**
   * The parameters of the query string alone, where the body is something else.
   * @throws EngineError `bad_input`
   */
  query(): Parameters
  /**
   * The raw body, for endpoints that take something else than parameters.
   * @param maxBytes a bound below that of all bodies
   * @throws EngineError `too_large`
   */
  body(maxBytes?: number): Promise<Uint8Array>
  /** The raw body as it arrives, without a bound but on how slowly it comes. */
  chunks(): AsyncIterable<Uint8Array>
  /**
   * The raw body of a client that may send all of it before it reads anything.
   * @param takesCoded whether it may be compressed, which the caller sees to
   */
  readAhead(maxBytes: number, takesCoded?: boolean): ReadAhead
  /** What is said of the request besides its answer; sent as `X-Warnings`. */
  readonly warnings: Warnings
  /** For work of many steps on what the client sent: all requests share each turn of the event loop. */
  readonly turns: LoopTurns
  readonly token: string | undefined
  /** Who is counted as one client, as a hash: the same text for the same address. */
  readonly client: string
  /** Fires when the client goes away or the server stops; pass it to every engine call. */
  readonly signal: AbortSignal
  readonly headers: Headers
  readonly method: string
  /** What links in the answer begin with, as the request's path did. */
  readonly prefix: string
  /** GET or HEAD. The answer to anything else is cached by nobody and needs no validator. */
  readonly isRead: boolean
  /** The 304 for a client that holds the answer with this validator already. */
  unchanged(etag: string, headers: Readonly<Record<string, string>>): Response | undefined
  /** Sends the bytes, and disposes of them whatever becomes of that. */
  stream(bytes: ByteStream, head: AnswerHead): Promise<Response>
  /** A cached answer, or the 304 for it. */
  send(prepared: Prepared, headers?: Readonly<Record<string, string>>): Promise<Response>
}

export interface EndpointDefinition<Path extends z.ZodObject, Parameters extends z.ZodObject> {
  readonly methods: readonly Method[]
  /** With braces, as in OpenAPI: `/files/{file_id}`. */
  readonly path: string
  readonly summary: string
  /** More than the summary, in Markdown. */
  readonly description?: string
  readonly tags: readonly string[]
  /**
   * Whether answers may be compressed as the client requests. Files and slices never are: clients
   * count their bytes (data-commons.md 5.2).
   */
  readonly compress?: true
  readonly pathParameters?: Path
  readonly parameters?: Parameters
  /** Parameters that are one value, and are accepted when they are given more than once. */
  readonly single?: readonly string[]
  /** Content types of a body that holds something else; parameters are the query's alone then. */
  readonly content?: ResponseNote['content']
  /** Whether parameters are the query's alone, although the method could have a body. */
  readonly takesQueryOnly?: true
  /**
   * Whether it is asked even where a fixed path takes the place of a name, to refuse that name in
   * its own words instead of the method.
   */
  readonly takesReserved?: true
  /**
   * Words that a path parameter never stands for, by its name: the path is another endpoint's then, or
   * nobody's.
   */
  readonly reserved?: Readonly<Record<string, ReadonlySet<string>>>
  readonly responses: Readonly<Record<number, ResponseNote>>
  /** As OpenAPI has it; `[{}, { token: [] }]` is a token that may be left out. */
  readonly security?: readonly SecurityRequirement[]
  readonly handle: (
    call: Call<z.output<Path>, z.output<Parameters>>,
  ) => Response | Promise<Response>
}

/** A route as data: what serves it and what documents it are the same object. */
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
  // Made once: a schema compiles its checks when it is first asked.
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

/** Headers of an answer besides its own. */
function notesOf({ warnings: { header } }: Exchange) {
  return header === undefined ? {} : { 'X-Warnings': header }
}

/** The answer with its notes, unless it is sent already or is none. */
function withNotes(response: Response, exchange: Exchange): Response {
  if (!response.ok || response === RESPONSE_ALREADY_SENT) return response
  for (const [name, value] of Object.entries(notesOf(exchange))) response.headers.set(name, value)
  for (const cookie of exchange.downloadCookieEnds) response.headers.append('Set-Cookie', cookie)
  return response
}

/** What a call is checked by. */
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
  const terms = { ...exchange.limits, arrive }
  const body = async (maxBytes = Number.POSITIVE_INFINITY) => {
    const bodyBytes = Math.min(terms.bodyBytes, maxBytes)
    const bytes = await readBody(request, { ...terms, bodyBytes })
    // Bodies that became whole in one turn of the event loop are not all parsed in it.
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
  const checked = (given: unknown) => validate(parameters, given) as z.output<Parameters>
  return {
    path: validate(pathParameters, c.req.param()) as z.output<Path>,
    async input() {
      const type = request.headers.get('content-type') ?? ''
      const bytes = await body(MAX_PARAMETER_BYTES)
      const parameters = parseParameters(bytes, type)
      // A text in it takes as long to read as the body did. Others are let in between.
      if (bytes.length > LARGE_BODY_BYTES) await exchange.inflow.turns.next()
      refuseUntaken(parameters, taken, neverIgnored)
      warnOfGiven({ query, body: parameters }, taken, warnings)
      exchange.downloadCookieEnds = downloadCookieEnds({ ...query, ...parameters }, request.headers)
      return exchange.completeInput(checked({ ...query, ...parameters }))
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
    client: exchange.client(),
    signal: request.signal,
    headers: request.headers,
    method: request.method,
    prefix: versionPrefix(request),
    isRead,
    unchanged,
    stream(bytes, head) {
      const headers = { ...head.headers, ...notesOf(exchange) }
      const cookies = exchange.downloadCookieEnds
      return sendStream(c, compressed({ ...head, bytes, headers, cookies }, coding))
    },
    async send(prepared, more = {}) {
      const headers = { 'Cache-Control': 'no-cache', Vary: 'Accept-Encoding', ...more }
      return unchanged(prepared.etag, headers) ?? (await prepared.answer(coding, headers))
    },
  }
}
