import { z } from '@hono/zod-openapi'
import type { AnsweredLines, LineSource } from '../../engine/registry/index.ts'
import type { Caller, KeyStore } from '../../engine/shared/index.ts'
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts'
import { besideReading, type ReadAhead } from '../http/read-ahead.ts'
import { failureNotes } from './errors.ts'
import { requireType } from './json-body.ts'
import { UNCACHED } from './operation.ts'
import { authorise } from './security.ts'

export const LINES = 'application/x-ndjson'
/** Matches the various names of the content type, and JSON, because one JSON object is also a line. */
const LINES_TYPE = /^application\/(?:json|(?:x-)?(?:ndjson|jsonl|json-?lines))\s*(?:;|$)/i

/** Maximum bytes to keep for a client that sends everything before it reads. */
export const MAX_AHEAD_BYTES = 64 << 20

const lineError = z
  .object({
    line: z.int().describe('Line number, from 1'),
    error: z.object({
      code: z.enum(['bad_input', 'too_large', 'too_many']),
      message: z.string(),
      at: z.string().optional().describe('The invalid member'),
    }),
  })
  .openapi('LineError')

/** Input of a handler, after the caller was authorised. */
interface AuthorisedLines<Path, Query> {
  readonly caller: Caller
  readonly path: Path
  readonly query: Query
  readonly lines: LineSource
  readonly signal: AbortSignal
}

interface LineBatch<Path extends z.ZodObject, Query extends z.ZodObject> {
  readonly path: string
  readonly summary: string
  /** Noun phrase for a valid line, such as "a case". */
  readonly expected: string
  readonly pathParameters: Path
  readonly query?: Query
  /** Schemas of a line and its response for the API document. The engine validates lines. */
  readonly line: z.ZodType
  readonly answer: z.ZodType
  readonly failures?: Readonly<Partial<Record<400 | 404, string>>>
  readonly handle: (
    call: AuthorisedLines<z.output<Path>, z.output<Query>>,
  ) => AnsweredLines | Promise<AnsweredLines>
}

/** Defines an endpoint that accepts any number of requests, one per line, and returns one result per line. */
export function defineLineBatch<
  Path extends z.ZodObject,
  Query extends z.ZodObject = z.ZodObject<Record<never, never>>,
>(keys: Pick<KeyStore, 'verify'>, tag: string, batch: LineBatch<Path, Query>): Endpoint {
  const { path, summary, expected, pathParameters, query, line, answer, handle } = batch
  return defineEndpoint({
    methods: ['POST'],
    path,
    summary,
    description:
      `Returns one line for each line, in the same order. For a line that is not ${expected}, it is an ` +
      'error with the line number; for an empty line, it is empty. A line has at most 1 MiB. A client ' +
      'that sends everything before it reads can send 64 MiB of lines; the lines after that have no ' +
      'response except one last line with the error `too_large`.',
    tags: [tag],
    pathParameters,
    ...(query && { parameters: query }),
    content: { [LINES]: line },
    responses: {
      200: {
        description: 'One line for each line.',
        content: { [LINES]: z.union([answer, lineError]) },
      },
      ...failureNotes({
        ...(query && { 400: 'A parameter of the query is not accepted.' }),
        401: 'The key is missing or not valid.',
        415: `The body is not ${LINES}.`,
        503: 'Too many batches are running; try again soon.',
        ...batch.failures,
      }),
    },
    security: [{ apiKeyScheme: [] }],
    async handle(call) {
      const caller = await authorise(call.headers, keys, undefined)
      const authorised = { caller, path: call.path, query: call.query(), signal: call.signal }
      requireType(call.headers, LINES_TYPE, LINES)
      const lines = call.readAhead(MAX_AHEAD_BYTES)
      const answers = await handle({ ...authorised, lines: lines.chunks() })
      const bytes = { ...answers, body: readingOn(answers, lines) }
      return call.stream(bytes, { status: 200, headers: { ...UNCACHED, 'Content-Type': LINES } })
    },
  })
}

/** Yields the responses, followed by an error if lines were dropped. */
async function* readingOn(
  { body, lines: answered }: AnsweredLines,
  lines: ReadAhead,
): AsyncGenerator<Uint8Array> {
  yield* besideReading(body, lines)
  if (!lines.isCut) return
  const message =
    `the lines from here on were dropped: more than ${MAX_AHEAD_BYTES} bytes of them came before ` +
    'their answers were read; read while you send, or send fewer lines at a time'
  const error: z.output<typeof lineError> = {
    line: answered() + 1,
    error: { code: 'too_large', message },
  }
  yield new TextEncoder().encode(`${JSON.stringify(error)}\n`)
}
