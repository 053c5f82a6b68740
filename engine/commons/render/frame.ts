import { EngineError } from '../../shared/errors.ts'
import type { Job } from '../../shared/executor.ts'
import { XML_DECLARATION, XmlWriter } from '../../shared/formats/xml.ts'
import type { RenderContext } from './context.ts'
import { HIT_DEPTH } from './write-hits.ts'

/** Position of a page within all results (data-commons.md 3.1). */
export interface Pagination {
  readonly count: number
  readonly total: number
  readonly size: number
  readonly from: number
  readonly sort: string
  readonly page: number
  readonly pages: number
}

/** The parts of a response body around its hits. */
export interface Envelope {
  readonly pagination: Pagination
  /** Aggregations as JSON text. */
  readonly aggregations?: Uint8Array | undefined
  /** Warnings keyed by parameter, such as `{ fields: 'unrecognized values: [x]' }`. */
  readonly warnings: Readonly<Record<string, string>>
}

/** The bytes of a body before its first record and after its last. */
export interface Frame {
  readonly head: Uint8Array
  readonly tail: readonly Uint8Array[]
}

interface FrameRequest {
  readonly format: 'json' | 'xml'
  readonly envelope: Envelope
  readonly pretty: boolean
  /** Whether JSON is a bare array without an envelope. */
  readonly isBare?: boolean | undefined
  readonly empty: boolean
}

type FrameOptions = Pick<FrameRequest, 'pretty' | 'empty'>

interface FrameTexts {
  readonly head: string
  readonly tail: string
}

/** Maximum size in bytes of facets that are reformatted on the calling thread. */
const SMALL_BYTES = 16 << 10

/** Maximum size in bytes of facets that are reformatted, which takes ten times their size in memory. */
const MAX_REWRITTEN_BYTES = 32 << 20

/**
 * Builds the frame of a body: `data` with `hits`, `aggregations` and `pagination` in this order, then
 * `warnings`. Plain JSON contains the text of the facets unchanged. The frame of a bare array consists of its
 * brackets.
 * @throws EngineError too_many if the facets are too large for the format; busy
 */
export async function frameOf(
  request: FrameRequest,
  { executor, signal }: Pick<RenderContext, 'executor' | 'signal'>,
): Promise<Frame> {
  const { format, envelope, pretty, isBare, empty } = request
  if (format === 'json' && isBare) return bareFrame(pretty && !empty)
  if (format === 'json' && !pretty) return plainFrame(envelope)
  const size = envelope.aggregations?.length ?? 0
  if (size <= SMALL_BYTES) return rewrittenFrame(request)
  if (size <= MAX_REWRITTEN_BYTES) return executor.run(frameJob, request, { signal })
  const message = `the facets have ${size} bytes; XML and indented JSON take at most ${MAX_REWRITTEN_BYTES}`
  throw new EngineError('too_many', `${message}; ask for fewer, or for plain JSON`, {
    at: 'facets',
  })
}

export const frameJob: Job<FrameRequest, Frame> = {
  name: 'render.frame',
  run: rewrittenFrame,
  transfer: ({ head, tail }) => [head, ...tail].map(({ buffer }) => buffer as ArrayBuffer),
}

const bareFrame = (isLaidOut: boolean): Frame => ({
  head: Buffer.from('['),
  tail: [Buffer.from(isLaidOut ? '\n]' : ']')],
})

function plainFrame({ pagination, warnings, aggregations }: Envelope): Frame {
  const rest = `"pagination":${JSON.stringify(pagination)}},"warnings":${JSON.stringify(warnings)}}`
  const head = Buffer.from('{"data":{"hits":[')
  if (!aggregations) return { head, tail: [Buffer.from(`],${rest}`)] }
  return { head, tail: [Buffer.from('],"aggregations":'), aggregations, Buffer.from(`,${rest}`)] }
}

function rewrittenFrame({ format, envelope, ...options }: FrameRequest): Frame {
  const { head, tail } =
    format === 'xml' ? xmlFrame(envelope, options) : prettyFrame(envelope, options)
  // Each text has a buffer of its own, which can be transferred between threads.
  const encoder = new TextEncoder()
  return { head: encoder.encode(head), tail: [encoder.encode(tail)] }
}

function prettyFrame(envelope: Envelope, { empty }: FrameOptions): FrameTexts {
  const { pagination, warnings } = envelope
  const data = { hits: [], ...aggregationsOf(envelope), pagination }
  const text = JSON.stringify({ data, warnings }, null, 2)
  // The first brackets in the text belong to `hits`.
  const middle = text.indexOf('[') + 1
  const lineBreak = empty ? '' : `\n${'  '.repeat(HIT_DEPTH - 1)}`
  return { head: text.slice(0, middle), tail: lineBreak + text.slice(middle) }
}

function xmlFrame(envelope: Envelope, { pretty, empty }: FrameOptions): FrameTexts {
  const writer = new XmlWriter({ pretty })
  const start = XML_DECLARATION + writer.newLine + writer.open('response', 0)
  const rest = Object.entries({ ...aggregationsOf(envelope), pagination: envelope.pagination })
  return {
    head: start + writer.open('data', 1) + (empty ? '' : writer.open('hits', 2)),
    tail: [
      empty ? writer.element('hits', '', 2) : writer.close('hits', 2),
      ...rest.map(([name, value]) => writer.element(name, value, 2)),
      writer.close('data', 1),
      writer.element('warnings', envelope.warnings, 1),
      writer.close('response', 0),
    ].join(''),
  }
}

function aggregationsOf({ aggregations }: Envelope): { readonly aggregations?: unknown } {
  return aggregations ? { aggregations: JSON.parse(textOf(aggregations)) as unknown } : {}
}

const textOf = (bytes: Uint8Array) =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString()
