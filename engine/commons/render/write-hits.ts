import type { ByteSink } from '../../shared/formats/byte-sink.ts'
import { XmlWriter } from '../../shared/formats/xml.ts'
import type { Hit } from './hit.ts'

/** Nesting depth of hits in the body: `response`, `data`, `hits`. */
export const HIT_DEPTH = 3

const INDENT = '  '.repeat(HIT_DEPTH)
const BARE_INDENT = '  '

export interface JsonForm {
  readonly pretty: boolean
  /** Whether the array is written without the envelope. */
  readonly isBare?: boolean | undefined
  /** Whether this is the first chunk of the body. */
  readonly first: boolean
  /** Score of each hit, if hits have scores. */
  readonly scores?: Uint32Array | undefined
}

/** Writes the elements of a JSON array, each with a leading comma except the first of the body. */
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

/** Adds `.0` to the number that is the last field of an object (data-commons.md 6.9). */
function withPoint(text: string): string {
  const members = text.slice(0, -1).trimEnd()
  return `${members}.0${text.slice(members.length)}`
}

/** Returns JSON indented by two spaces per level, with `margin` before each line except the first. */
export function indent(value: unknown, margin: string): string {
  // Line breaks in JSON strings are escaped, so every line break here is indentation.
  return JSON.stringify(value, null, 2).replaceAll('\n', `\n${margin}`)
}

/** Writes one hit per line. */
export function writeLines(hits: Iterable<Hit>, sink: ByteSink): void {
  for (const hit of hits) {
    sink.text(JSON.stringify(hit))
    sink.text('\n')
  }
}

/** Writes hits as `item` elements. */
export function writeXml(
  hits: Iterable<Hit>,
  sink: ByteSink,
  { pretty }: { readonly pretty: boolean },
): void {
  const writer = new XmlWriter({ pretty })
  for (const hit of hits) sink.text(writer.element('item', hit, HIT_DEPTH))
}
