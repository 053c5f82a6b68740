import { EngineError } from '../../engine/shared/index.ts'
import type { Arrival, Sender } from './inflow.ts'

export interface ReadAheadTerms {
  /** Bytes that are held before the rest is dropped. */
  readonly maxBytes: number
  /** Takes the body up among those that hold memory. */
  readonly arrive: (giveUp: Sender['giveUp']) => Arrival
}

const LINE_END = 0x0a

/** For how long a client takes no answer before all that it sends is read. */
const PATIENCE_MILLISECONDS = 500

/**
 * What is answered to a body while that is read. A client that takes nothing for a while sends all of its
 * body first, so that is read without waiting for it.
 */
export async function* besideReading(
  answer: AsyncIterable<Uint8Array>,
  body: ReadAhead,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of answer) {
    const waiting = setTimeout(() => body.start(), PATIENCE_MILLISECONDS)
    try {
      yield chunk
    } finally {
      clearTimeout(waiting)
    }
  }
}

/**
 * A body of lines that is read as it is asked for and, once it is known that its client sends all of
 * it before it reads, in one go: within a bound, and dropped to its end behind that, so that the client
 * comes to read what became of it.
 */
export class ReadAhead {
  readonly #source: AsyncIterator<Uint8Array>
  readonly #terms: ReadAheadTerms
  readonly #held: Uint8Array[] = []
  #bytes = 0
  #arrival: Arrival | undefined
  #taking: Promise<void> | undefined
  #isOver = false
  #isCut = false
  #failure: unknown

  constructor(source: AsyncIterable<Uint8Array>, terms: ReadAheadTerms) {
    this.#source = source[Symbol.asyncIterator]()
    this.#terms = terms
  }

  /** Whether lines were dropped, since more came than may be held. */
  get isCut(): boolean {
    return this.#isCut
  }

  /** What comes, in whole lines where it is cut. To be read once. */
  async *chunks(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const chunk = this.#held.shift()
        if (chunk) {
          this.#bytes -= chunk.byteLength
          yield chunk
        } else if (this.#isOver) {
          if (this.#failure !== undefined) throw this.#failure
          return
        } else {
          await this.#take()
        }
      }
    } finally {
      this.#isOver = true
      this.#arrival?.release()
      // Not awaited: a read that is under way may last as long as the client does nothing.
      this.#source.return?.().then(undefined, () => {})
    }
  }

  /** Reads to the end, whether it is asked for or not. */
  start(): void {
    if (this.#arrival || this.#isOver) return
    this.#arrival = this.#terms.arrive((error) => this.#end(error))
    this.#readAll()
  }

  async #readAll(): Promise<void> {
    while (!this.#isOver) await this.#take()
    this.#arrival?.end()
  }

  /** Takes one more chunk; whoever asks meanwhile waits for the same. */
  #take(): Promise<void> {
    this.#taking ??= this.#takeOne().finally(() => {
      this.#taking = undefined
    })
    return this.#taking
  }

  async #takeOne(): Promise<void> {
    try {
      const { done, value } = await this.#source.next()
      if (done) this.#end()
      else if (!this.#isOver && !this.#isCut) this.#hold(value)
    } catch (error) {
      this.#end(error)
    }
  }

  #hold(chunk: Uint8Array): void {
    if (this.#arrival && !this.#hasPlace(chunk.byteLength, this.#arrival)) {
      this.#cut()
      return
    }
    this.#held.push(chunk)
    this.#bytes += chunk.byteLength
  }

  #hasPlace(bytes: number, arrival: Arrival): boolean {
    if (this.#bytes + bytes > this.#terms.maxBytes) return false
    try {
      arrival.hold(bytes)
      return true
    } catch (error) {
      if (error instanceof EngineError && error.code === 'busy') return false
      throw error
    }
  }

  /** Drops what comes from here on, and the line that is not whole. */
  #cut(): void {
    this.#isCut = true
    for (let last = this.#held.pop(); last; last = this.#held.pop()) {
      const end = last.lastIndexOf(LINE_END) + 1
      this.#bytes -= last.byteLength - end
      if (end === 0) continue
      this.#held.push(last.subarray(0, end))
      return
    }
  }

  #end(failure?: unknown): void {
    this.#failure ??= failure
    this.#isOver = true
  }
}
