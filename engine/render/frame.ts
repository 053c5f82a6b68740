import { XML_DECLARATION, XmlWriter } from '../formats/xml.ts'
import { HIT_DEPTH } from './write-hits.ts'

/** Where a list stands in all that was found (contract 3.1). */
export interface Pagination {
  readonly count: number
  readonly total: number
  readonly size: number
  readonly from: number
  readonly sort: string
  readonly page: number
  readonly pages: number
}

/** What a body says besides its hits. */
export interface Envelope {
  readonly pagination: Pagination
  /** JSON text of the aggregations. */
  readonly aggregations?: Uint8Array | undefined
  /** By parameter: `{ fields: 'unrecognized values: [x]' }`. */
  readonly warnings: Readonly<Record<string, string>>
}

/** Texts before the first hit and behind the last one. */
export interface Frame {
  readonly head: string
  readonly tail: string
}

export interface FrameOptions {
  readonly pretty: boolean
  readonly empty: boolean
}

/** `data` with `hits`, `aggregations`, `pagination` in this order, and `warnings`. */
export function jsonFrame(envelope: Envelope, { pretty, empty }: FrameOptions): Frame {
  const { pagination, warnings } = envelope
  const text = pretty
    ? JSON.stringify(
        { data: { hits: [], ...aggregationsOf(envelope), pagination }, warnings },
        null,
        2,
      )
    : `{"data":{"hits":[],${rawAggregations(envelope)}"pagination":${JSON.stringify(pagination)}},` +
      `"warnings":${JSON.stringify(warnings)}}`
  // The brackets of `hits` are the first ones.
  const middle = text.indexOf('[') + 1
  const lineBreak = pretty && !empty ? `\n${'  '.repeat(HIT_DEPTH - 1)}` : ''
  return { head: text.slice(0, middle), tail: lineBreak + text.slice(middle) }
}

export function xmlFrame(envelope: Envelope, { pretty, empty }: FrameOptions): Frame {
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

/** Facets can have many buckets: their text is passed on as it is where that can be done. */
function rawAggregations({ aggregations }: Envelope): string {
  return aggregations ? `"aggregations":${textOf(aggregations)},` : ''
}

function aggregationsOf({ aggregations }: Envelope): { readonly aggregations?: unknown } {
  return aggregations ? { aggregations: JSON.parse(textOf(aggregations)) as unknown } : {}
}

const textOf = (bytes: Uint8Array) =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString()
