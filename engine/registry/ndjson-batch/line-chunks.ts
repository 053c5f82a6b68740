import { LONGEST_LINE, MAX_LINES } from './limits.ts'

const LINE_END = 10

/** Whole lines at the end of memory that threads share. */
export interface LineChunk {
  /** 1-based number of the first line. */
  readonly number: number
  /** The space before the lines is for their answers. */
  readonly memory: Uint8Array<SharedArrayBuffer>
  /**
   * Offset of the first line. Each line includes its line ending; the last line of the input may lack it. A line
   * that is too long is cut to one byte more than the limit.
   */
  readonly start: number
}

/** Allocates memory for a chunk, with room for more bytes than its lines have. */
type MemoryFor = (bytes: number) => Uint8Array<SharedArrayBuffer>

/**
 * Splits bytes into chunks of up to a few hundred lines as they arrive. A line waits only for lines that arrived
 * together with it. Memory is bounded by the last block and one line.
 */
export async function* lineChunks(
  source: AsyncIterable<Uint8Array>,
  memoryFor: MemoryFor,
): AsyncGenerator<LineChunk> {
  const begun = new BegunLine()
  let number = 1
  for await (const bytes of source) {
    let start = 0
    let lines = 0
    // Empty lines take no work, so their number in a chunk is not limited.
    let empty = 0
    let before = -1
    for (let end = bytes.indexOf(LINE_END); end >= 0; ) {
      const next = bytes.indexOf(LINE_END, end + 1)
      lines++
      if (end === before + 1) empty++
      before = end
      if (lines - empty >= MAX_LINES || next < 0) {
        yield { number, ...begun.endedBy(bytes.subarray(start, end + 1), memoryFor) }
        number += lines
        lines = 0
        empty = 0
        start = end + 1
      }
      end = next
    }
    begun.add(bytes.subarray(start))
  }
  if (begun.length > 0) yield { number, ...begun.endedBy(new Uint8Array(0), memoryFor) }
}

/** A line whose end has not arrived yet. Excess bytes of a line that is too long are dropped. */
class BegunLine {
  #bytes = Buffer.alloc(0)
  length = 0

  add(more: Uint8Array): void {
    const taken = more.subarray(0, LONGEST_LINE + 1 - this.length)
    const length = this.length + taken.length
    if (length > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(length, 2 * this.#bytes.length))
      larger.set(this.#bytes.subarray(0, this.length))
      this.#bytes = larger
    }
    this.#bytes.set(taken, this.length)
    this.length = length
  }

  /** Returns a chunk that starts with the begun line, followed by its rest and the bytes after it. */
  endedBy(rest: Uint8Array, memoryFor: MemoryFor): Omit<LineChunk, 'number'> {
    const memory = memoryFor(this.length + rest.length)
    const start = memory.length - rest.length - this.length
    // `set` would copy byte by byte, because other threads could read shared memory meanwhile.
    const target = Buffer.from(memory.buffer, memory.byteOffset, memory.length)
    this.#bytes.copy(target, start, 0, this.length)
    Buffer.from(rest.buffer, rest.byteOffset, rest.length).copy(target, start + this.length)
    this.length = 0
    this.#bytes = Buffer.alloc(0)
    return { memory, start }
  }
}
