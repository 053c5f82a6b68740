import type { ByteSink } from '../../shared/formats/byte-sink.ts'
import { XmlWriter } from '../../shared/formats/xml.ts'
import type { Hit } from './hit.ts'

/** How deep hits are inside the body: `response`, `data`, `hits`. */
export const HIT_DEPTH = 3

const INDENT = '  '.repeat(HIT_DEPTH)
const BARE_INDENT = '  '

export interface JsonForm {
  readonly pretty: boolean
  /** The array stands alone. */
  readonly isBare?: boolean | undefined
  /** This is the first chunk of the body. */
  readonly first: boolean
  /** Of each hit, where they have any. */
  readonly scores?: Uint32Array | undefined
}

/** Elements of a JSON array with a comma before each but the first one of the body. */
export function writeJson(
  hits: Iterable<Hit>,
  sink: ByteSink,
  { pretty, isBare, first, scores }: JsonForm,
): void {
  const margin = isBare ? BARE_INDENT : INDENT
  let separator = first ? '' : ','
  let place = 0
  for (const hit of hits) {
    const shown = scores ? { ...hit, _score: scores[place++] } : hit
    const text = pretty ? `\n${margin}${indent(shown, margin)}` : JSON.stringify(shown)
    sink.text(separator)
    sink.text(scores ? withPoint(text) : text)
    separator = ','
  }
}

/** The last member of an object, a whole number, with a point (data-commons.md 6.9). */
function withPoint(text: string): string {
  const members = text.slice(0, -1).trimEnd()
  return `${members}.0${text.slice(members.length)}`
}

/** A value with two blanks per level, as it stands behind `margin`. */
export function indent(value: unknown, margin: string): string {
  // A line break inside a JSON text is always one of the layout.
  return JSON.stringify(value, null, 2).replaceAll('\n', `\n${margin}`)
}

/** One hit per line. */
export function writeLines(hits: Iterable<Hit>, sink: ByteSink): void {
  for (const hit of hits) {
    sink.text(JSON.stringify(hit))
    sink.text('\n')
  }
}

/** `item` elements. */
export function writeXml(
  hits: Iterable<Hit>,
  sink: ByteSink,
  { pretty }: { readonly pretty: boolean },
): void {
  const writer = new XmlWriter({ pretty })
  for (const hit of hits) sink.text(writer.element('item', hit, HIT_DEPTH))
}
