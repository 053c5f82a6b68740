import { FormatError } from '../../../shared/formats/format-error.ts'
import { countLines } from '../../../shared/input/lines.ts'

/** A block of whole lines of a file. */
export interface LineBlock {
  readonly bytes: Uint8Array
  readonly firstLine: number
}

/** Longest line. A row of 10,000 samples takes about 256 KiB. */
const MAX_LINE_BYTES = 64 << 20
const LF = 0x0a

/**
 * Splits a text into blocks of whole lines, about a chunk each, in shared memory so that jobs need no copy.
 * @throws FormatError for a line longer than 64 MiB, or a last line without a line break
 */
export async function* lineBlocks(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<LineBlock, void, undefined> {
  let firstLine = 1
  let rest: Uint8Array[] = []
  let length = 0
  for await (const chunk of chunks) {
    const end = chunk.lastIndexOf(LF) + 1
    if (end > 0) {
      const bytes = new Uint8Array(new SharedArrayBuffer(length + end))
      let at = 0
      for (const part of [...rest, chunk.subarray(0, end)]) {
        bytes.set(part, at)
        at += part.length
      }
      yield { bytes, firstLine }
      firstLine += countLines(bytes)
      rest = []
      length = 0
    }
    // The bytes are copied, because the stream may reuse the memory of the chunk.
    if (end < chunk.length) rest.push(Uint8Array.from(chunk.subarray(end)))
    length += chunk.length - end
    if (length > MAX_LINE_BYTES) {
      throw new FormatError(`has a line of more than ${MAX_LINE_BYTES} bytes`)
    }
  }
  if (length > 0) throw new FormatError('ends within a line; it was cut off')
}
