import { LONGEST_LINE, MAX_LINES } from './limits.ts'

const LINE_END = 10

/** Whole lines, at the end of memory that threads share. */
export interface LineChunk {
  /** Of the first line, from 1. */
  readonly number: number
  /** What is in front of the lines is for their answers. */
  readonly memory: Uint8Array<SharedArrayBuffer>
  /**
   * Where the lines begin: each but the last of all has its end. One that is too long has just a byte
   * too many.
   */
  readonly start: number
}

/** Memory for a chunk, with space for more bytes than the lines have. */
export type MemoryFor = (bytes: number) => Uint8Array<SharedArrayBuffer>

/**
 * Cuts bytes into chunks of some hundred lines, as they come: a line waits for no other than those
 * that came with it. Holds what came last and one line.
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
    // Empty ones are no work: of these a chunk has as many as came.
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

/** A line whose end has not come yet; of one that is too long the rest is dropped. */
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

  /** The line's beginning and the rest of it, with whatever else follows. */
  endedBy(rest: Uint8Array, memoryFor: MemoryFor): Omit<LineChunk, 'number'> {
    const memory = memoryFor(this.length + rest.length)
    const start = memory.length - rest.length - this.length
    memory.set(this.#bytes.subarray(0, this.length), start)
    memory.set(rest, start + this.length)
    this.length = 0
    this.#bytes = Buffer.alloc(0)
    return { memory, start }
  }
}
