import { EngineError } from '../errors.ts'

/**
 * Bounds on JSON from outside, looked at before it is parsed: V8 takes 2.7 s for 16 MiB of `[` and
 * 1.5 s for as many distinct names, and nobody else is answered meanwhile.
 */
const MAX_LEVELS = 128
const MAX_MEMBERS = 100_000
const MAX_VALUES = 500_000
/** Of parameters. Short texts are dear: 400,000 of them take 0.2 s. */
export const MAX_PARAMETER_VALUES = 100_000
/** Each makes V8 form a new shape of objects: 100,000 cost 130 ms, as many of the same few 7 ms. */
const MAX_DISTINCT_NAMES = 10_000

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_ARRAY = 0x5b
const BACKSLASH = 0x5c
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/**
 * Looks whether JSON text is within bounds of nesting and number; what is no JSON may pass. One pass,
 * about 1 ns a byte.
 * @param source what the text is called in messages: `the body`
 * @param at what it is, for the error
 * @param maxValues a bound below that of all texts
 * @throws EngineError `too_many` beyond a bound
 */
export function checkJsonBounds(
  bytes: Uint8Array,
  source: string,
  at?: string,
  maxValues = MAX_VALUES,
): void {
  const beyond = (what: string) =>
    new EngineError('too_many', `${source} ${what}`, at === undefined ? {} : { at })
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const names = new Set<string>()
  let level = 0
  let members = 0
  let values = 0
  // The text that was read last, without its quotes: a colon makes it a name.
  let start = 0
  let end = 0
  for (let i = 0; i < text.length; i++) {
    const byte = text[i]
    if (byte === QUOTE) {
      start = i + 1
      end = i = endOfText(text, start)
    } else if (byte === COMMA) {
      values += 1
      if (values > maxValues) throw beyond(`has more than ${maxValues} values`)
    } else if (byte === COLON) {
      members += 1
      if (members > MAX_MEMBERS) throw beyond(`has more than ${MAX_MEMBERS} object members`)
      names.add(text.toString('latin1', start, end))
      if (names.size > MAX_DISTINCT_NAMES) {
        throw beyond(`has more than ${MAX_DISTINCT_NAMES} different names of object members`)
      }
      // One colon makes a name, however many follow.
      start = end
    } else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      level += 1
      if (level > MAX_LEVELS) throw beyond(`is nested deeper than ${MAX_LEVELS} levels`)
    } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) level -= 1
  }
}

/**
 * Where the quote is that ends a text of JSON, or the end of the bytes or behind it.
 * @param start behind the quote that begins it
 */
export function endOfText(bytes: Uint8Array, start: number): number {
  let i = start
  while (i < bytes.length && bytes[i] !== QUOTE) i += bytes[i] === BACKSLASH ? 2 : 1
  return i
}
