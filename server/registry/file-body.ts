import { z } from '@hono/zod-openapi'
import { type ByteStream, EngineError } from '../../engine/shared/index.ts'
import { inflated } from '../../engine/shared/internal.ts'
import { requirePlain } from '../http/body.ts'
import type { Call } from '../http/endpoint.ts'
import { besideReading, type ReadAhead } from '../http/read-ahead.ts'
import { failureNotes } from './errors.ts'
import { requireMediaType } from './json-body.ts'
import { LINES, MAX_AHEAD_BYTES } from './line-batch.ts'
import { UNCACHED } from './operation.ts'
import { flag } from './query-parameters.ts'

// Registry files as request bodies, and the summary at the end of their responses.

export const XML = 'application/xml'
const FILE_TYPE =
  /^(?:application\/(?:[\w.+-]+\+)?xml|application\/octet-stream|text\/(?:xml|plain))\s*(?:;|$)/i
/** Size in bytes of decompressed chunks, similar to the chunks of uncompressed bodies. */
const INFLATED_BYTES = 64 << 10
/** Maximum ratio of decompression. Registry files compress up to forty times. */
const MAX_INFLATION = 200
const ALWAYS_INFLATED_BYTES = 2 << 20

export const SUMMARY_TRAILER = 'X-Casemill-Summary'
/** Maximum number of counts of each kind in the trailer, because clients accept only a few KiB of headers. */
const MAX_TOLD = 10

/** Query parameter of the operations that can refuse an imperfect file. */
export const strictFlag = flag
  .optional()
  .describe(
    'true: an item out of place, doubled or not of the standard form ends the file; false when not given',
  )

/** Query parameter for clients that lose what comes before a broken connection, like browsers. */
export const finishFlag = flag
  .optional()
  .describe(
    'true: when an error ends the file, `ndjson` ends with the error as its last line; otherwise the connection is broken off behind it',
  )

/** Members of the result line of a patient in every operation. */
export const patientMembers = {
  line: z.int().describe('Line number in the file, from 1'),
  patientIdNumber: z.string().optional(),
  error: z.object({ code: z.string(), message: z.string() }).optional(),
}

export const counted = z.object({
  kind: z.string(),
  code: z.string(),
  of: z.string().optional(),
  count: z.int(),
  line: z.int().describe('First line with it'),
})

/** A registry file that is being received: its decompressed chunks, and the body they are read from. */
interface FileBody {
  readonly chunks: AsyncGenerator<Uint8Array>
  readonly ahead: ReadAhead
}

/**
 * Returns the registry file that a request carries, plain or gzip.
 * @throws EngineError `unsupported_type` for another type or coding; more while the chunks are read
 */
export function fileBody(call: Pick<Call<unknown, unknown>, 'headers' | 'readAhead'>): FileBody {
  requireMediaType(call.headers, FILE_TYPE, XML)
  const isGzip = /^\s*(?:x-)?gzip\s*$/i.test(call.headers.get('content-encoding') ?? '')
  if (!isGzip) requirePlain(call.headers)
  const ahead = call.readAhead(MAX_AHEAD_BYTES, isGzip)
  return { chunks: isGzip ? inflatedBody(ahead) : wholeBody(ahead), ahead }
}

/**
 * Yields the body.
 * @throws EngineError `too_large` if a part of the body was dropped
 */
async function* wholeBody(body: ReadAhead): AsyncGenerator<Uint8Array> {
  yield* body.chunks()
  if (!body.isCut) return
  const message =
    `more than ${MAX_AHEAD_BYTES} bytes of the file came before its answers were read; ` +
    'read while you send, or send it as gzip'
  throw new EngineError('too_large', message)
}

/** Decompresses the body. Decompression starts with the first read, so that a rejected body leaves nothing open. */
async function* inflatedBody(body: ReadAhead): AsyncGenerator<Uint8Array> {
  let came = 0
  let made = 0
  async function* counted() {
    for await (const chunk of wholeBody(body)) {
      came += chunk.length
      yield chunk
    }
  }
  try {
    for await (const chunk of inflated(counted(), INFLATED_BYTES)) {
      made += chunk.length
      if (made > ALWAYS_INFLATED_BYTES + MAX_INFLATION * came) {
        const message = `the body inflates to more than ${MAX_INFLATION} times its bytes; send it as it is`
        throw new EngineError('too_large', message)
      }
      yield chunk
    }
  } catch (cause) {
    const isDamage = cause instanceof Error && 'code' in cause && /^Z_/.test(String(cause.code))
    if (!isDamage) throw cause
    const message = 'the body is no whole gzip, as Content-Encoding says; send it anew'
    throw new EngineError('bad_input', message, { at: 'body', cause })
  }
}

interface SummedUp extends ByteStream {
  summary(): FileCounts
}

interface FileCounts {
  readonly counts: readonly { readonly kind: string }[]
}

interface ResultsForm extends Pick<FileBody, 'ahead'> {
  readonly contentType: string
  /** Whether lines end without an exception after the line of an error. */
  readonly finish?: boolean | undefined
}

/** Streams the results of a file while it arrives. Lines end with the summary, other formats have a trailer. */
export function streamResults(
  call: Pick<Call<unknown, unknown>, 'stream'>,
  results: SummedUp,
  { contentType, ahead, finish = false }: ResultsForm,
): Promise<Response> {
  const isLines = contentType === LINES
  const body = isLines ? withLastLine(results, finish) : results.body
  return call.stream(
    { ...results, body: besideReading(body, ahead) },
    {
      status: 200,
      headers: { ...UNCACHED, 'Content-Type': contentType },
      ...(!isLines && { trailers: { [SUMMARY_TRAILER]: () => briefly(results.summary()) } }),
    },
  )
}

/**
 * Yields the result lines and the summary. After a failure the last line is the error, as a dropped connection
 * has none. The failure is then thrown unless `finish` is true.
 */
async function* withLastLine(
  { body, summary }: SummedUp,
  finish: boolean,
): AsyncGenerator<Uint8Array> {
  let isBegun = false
  try {
    for await (const chunk of body) {
      yield chunk
      isBegun = true
    }
  } catch (error) {
    if (isBegun && error instanceof EngineError) {
      const { code, message, at } = error
      yield lineOf({ error: { code, message, ...(at && { at }) } })
      if (finish) return
    }
    throw error
  }
  yield lineOf({ summary: summary() })
}

const lineOf = (value: object) => Buffer.from(`${JSON.stringify(value)}\n`)

/** Formats the summary in ASCII, with only the most frequent counts of each kind. */
function briefly({ counts, ...others }: FileCounts): string {
  const kinds = Map.groupBy(counts, ({ kind }) => kind)
  const most = [...kinds.values()].flatMap((some) => some.slice(0, MAX_TOLD))
  return JSON.stringify({ ...others, counts: most }).replace(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/**
 * Describes the failures of these operations for the API document.
 * @param others notes by status, for failures that only one of the operations has
 */
export function failing(others: Readonly<Record<number, string>> = {}) {
  return failureNotes({
    400: 'The file or a parameter is invalid, or the dictionary of the file is missing.',
    401: 'The key is missing or not valid.',
    ...others,
    413: 'The body inflates to too much.',
    415: 'The body is neither XML nor text, or has another coding than gzip.',
    503: 'Too many batches are running; try again soon.',
  })
}
