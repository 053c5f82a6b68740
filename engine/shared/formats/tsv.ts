import { FormatError } from './format-error.ts'

/** Longest line in bytes; a file without line breaks must not fill the memory. */
export const MAX_LINE_BYTES = 1 << 20

const LF = 0x0a
const BYTE_ORDER_MARK = '\ufeff'

/** One line of a table. The header is line 1. */
export interface TsvRow {
  readonly line: number
  readonly cells: readonly string[]
}

/**
 * Splits UTF-8 bytes into rows of tab-separated cells, in memory of one chunk and one line.
 * There is no quoting: a cell is what lies between two tabs. Lines end with LF or CRLF, the last
 * one also without; a byte order mark is dropped. An empty input has no rows.
 *
 * @example
 * for await (const { line, cells } of readTsv(createReadStream('genes.tsv'))) …
 *
 * @throws FormatError naming the line, when a row has not as many cells as the first one, a line is
 *   longer than 1 MiB, or its bytes are not UTF-8
 */
export async function* readTsv(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<TsvRow, void, undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let width = 0
  let line = 0
  // The bytes of a line whose end has not come yet.
  let rest: Uint8Array = new Uint8Array(0)

  const rowOf = (bytes: Uint8Array): TsvRow => {
    line += 1
    if (bytes.length > MAX_LINE_BYTES) throw lineTooLong(line)
    let text: string
    try {
      text = decoder.decode(bytes)
    } catch (cause) {
      throw new FormatError(`line ${line} is not UTF-8`, { cause })
    }
    if (line === 1 && text.startsWith(BYTE_ORDER_MARK)) text = text.slice(1)
    const cells = (text.endsWith('\r') ? text.slice(0, -1) : text).split('\t')
    if (line === 1) width = cells.length
    if (cells.length !== width) {
      throw new FormatError(`line ${line} has ${cells.length} columns, the first line ${width}`)
    }
    return { line, cells }
  }

  for await (const chunk of chunks) {
    let start = 0
    for (let end = chunk.indexOf(LF); end >= 0; end = chunk.indexOf(LF, start)) {
      const part = chunk.subarray(start, end)
      yield rowOf(rest.length === 0 ? part : Buffer.concat([rest, part]))
      rest = new Uint8Array(0)
      start = end + 1
    }
    // Always a copy: whoever gave the chunk may use its memory again.
    rest = Buffer.concat([rest, chunk.subarray(start)])
    if (rest.length > MAX_LINE_BYTES) throw lineTooLong(line + 1)
  }
  if (rest.length > 0) yield rowOf(rest)
}

function lineTooLong(line: number): FormatError {
  return new FormatError(`line ${line} is longer than ${MAX_LINE_BYTES} bytes`)
}
