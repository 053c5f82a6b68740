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

/**
 * Cuts UTF-8 bytes into lines, handed on in batches of one chunk. Lines end with LF or CRLF; empty
 * ones are left out.
 * @throws FormatError when a line is longer than 4 MiB or no UTF-8
 */
export async function* splitLines(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<readonly Line[], void, undefined> {
  let line = 0
  let rest: Buffer = Buffer.alloc(0)
  const lineOf = (bytes: Buffer): Line => {
    line++
    if (bytes.length > MAX_LINE_BYTES) throw tooLong(line)
    if (!isUtf8(bytes)) throw new FormatError(`line ${line} is not UTF-8`)
    const text = bytes.toString('utf8')
    return { line, text: line === 1 && text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text }
  }

  for await (const given of chunks) {
    const chunk = Buffer.from(given.buffer, given.byteOffset, given.byteLength)
    const lines: Line[] = []
    let start = 0
    for (let end = chunk.indexOf(LF); end >= 0; end = chunk.indexOf(LF, start)) {
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

function tooLong(line: number): FormatError {
  return new FormatError(`line ${line} is longer than ${MAX_LINE_BYTES} bytes`)
}
