import { isUtf8 } from 'node:buffer'
import { FormatError } from '../formats/format-error.ts'

/** A line of a text source. The first line has number 1. */
export interface Line {
  readonly line: number
  readonly text: string
}

/** Longest line in bytes. A table row may list some thousand ids. */
export const MAX_LINE_BYTES = 4 << 20

const LF = 0x0a
const CR = 0x0d
const BYTE_ORDER_MARK = '\ufeff'

/** Decodes the bytes of a line. */
export type LineDecoder = (bytes: Buffer, line: number) => string

/**
 * Splits bytes into lines, one batch per chunk. Lines end with LF or CRLF; empty lines are skipped.
 * @param decode decoder of lines, by default UTF-8
 * @param before number of lines before these bytes
 * @throws FormatError if a line is longer than 4 MiB or not UTF-8; the error of `decode`
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
      // Empty lines are skipped without allocating memory, because a file may consist only of such lines.
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

/** Line terminator. An LF may be preceded by CR. */
export type LineEnd = '\n' | '\r'

/** Returns the line terminator of a text that starts like this. It is CR only if there is no LF. */
export const lineEndOf = (head: string): LineEnd =>
  // The last character is ignored, because if it is CR, it may belong to a CRLF.
  !head.includes('\n') && head.slice(0, -1).includes('\r') ? '\r' : '\n'

/** Replaces each CR by LF. */
export async function* withLineFeeds(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of chunks) yield chunk.map((byte) => (byte === CR ? LF : byte))
}

/** Counts line breaks. Stops at `most`. */
export function countLines(bytes: Uint8Array, most = Infinity): number {
  let lines = 0
  for (let at = bytes.indexOf(LF); at >= 0 && lines < most; at = bytes.indexOf(LF, at + 1)) lines++
  return lines
}
