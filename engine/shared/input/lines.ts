import { isUtf8 } from 'node:buffer'
import { FormatError } from '../formats/format-error.ts'

/** One line of a text source; the header is line 1. */
export interface Line {
  readonly line: number
  readonly text: string
}

/** Longest line in bytes: a table row may list some thousand ids. */
export const MAX_LINE_BYTES = 4 << 20

const LF = 0x0a
const CR = 0x0d
const BYTE_ORDER_MARK = '\ufeff'

/** Makes a text of the bytes of a line. */
export type LineDecoder = (bytes: Buffer, line: number) => string

/**
 * Cuts bytes into lines, handed on in batches of one chunk. Lines end with LF or CRLF; empty ones
 * are left out.
 * @param decode left out, lines are UTF-8
 * @param before lines before the first one of these bytes
 * @throws FormatError when a line is longer than 4 MiB; what `decode` throws, which for UTF-8 is a
 *   FormatError
 */
export async function* splitLines(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  decode: LineDecoder = decodeUtf8,
  before = 0,
): AsyncGenerator<readonly Line[], void, undefined> {
  let line = before
  let rest: Buffer = Buffer.alloc(0)
  const lineOf = (bytes: Buffer): Line => {
    line++
    if (bytes.length > MAX_LINE_BYTES) throw tooLong(line)
    const text = decode(bytes, line)
    return { line, text: line === 1 && text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text }
  }

  for await (const given of chunks) {
    const chunk = Buffer.from(given.buffer, given.byteOffset, given.byteLength)
    const lines: Line[] = []
    let start = 0
    for (let end = chunk.indexOf(LF); end >= 0; end = chunk.indexOf(LF, start)) {
      // Nothing is made for an empty one: a file may be of nothing else.
      const isEmpty =
        rest.length === 0 && (end === start || (end === start + 1 && chunk[start] === CR))
      if (isEmpty) {
        line++
        start = end + 1
        continue
      }
      const part = chunk.subarray(start, end)
      const whole = rest.length === 0 ? part : Buffer.concat([rest, part])
      rest = Buffer.alloc(0)
      start = end + 1
      const bytes = whole.at(-1) === CR ? whole.subarray(0, -1) : whole
      const next = lineOf(bytes)
      if (next.text !== '') lines.push(next)
    }
    if (lines.length > 0) yield lines
    rest = Buffer.concat([rest, chunk.subarray(start)])
    if (rest.length > MAX_LINE_BYTES) throw tooLong(line + 1)
  }
  if (rest.length > 0) {
    const last = lineOf(rest.at(-1) === CR ? rest.subarray(0, -1) : rest)
    if (last.text !== '') yield [last]
  }
}

function decodeUtf8(bytes: Buffer, line: number): string {
  if (!isUtf8(bytes)) throw new FormatError(`line ${line} is not UTF-8`)
  return bytes.toString('utf8')
}

function tooLong(line: number): FormatError {
  return new FormatError(`line ${line} is longer than ${MAX_LINE_BYTES} bytes`)
}

/** What ends a line; before LF there may be a CR. */
export type LineEnd = '\n' | '\r'

/** What ends the lines of a text of which this is the beginning: CR alone if there is no LF. */
export const lineEndOf = (head: string): LineEnd =>
  // A CR at the very end may have its LF behind what was read.
  !head.includes('\n') && head.slice(0, -1).includes('\r') ? '\r' : '\n'

/** Lines that end with a carriage return alone, as lines that end with a line feed. */
export async function* withLineFeeds(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of chunks) yield chunk.map((byte) => (byte === CR ? LF : byte))
}

/** Counts line breaks, up to `most` of them. */
export function countLines(bytes: Uint8Array, most = Infinity): number {
  let lines = 0
  for (let at = bytes.indexOf(LF); at >= 0 && lines < most; at = bytes.indexOf(LF, at + 1)) lines++
  return lines
}
