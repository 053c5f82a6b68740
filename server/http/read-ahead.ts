import { EngineError } from '../../engine/shared/index.ts'
import type { Arrival, Sender } from './inflow.ts'

interface ReadAheadTerms {
  /** Maximum number of bytes to keep. Further bytes are dropped. */
  readonly maxBytes: number
  /** Registers the body with the accounting of bodies in memory. */
  readonly arrive: (giveUp: Sender['giveUp']) => Arrival
}

const LINE_END = 0x0a

/** Time without reading by a client after which its whole body is read. */
const PATIENCE_MILLISECONDS = 500

/**
 * Yields a response while the request body is still being read. A client that has not read for a while is
 * sending its whole body first. From then on, the body is read without waiting for the response.
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
 * A body of lines that is read on demand. Once it is clear that the client sends everything before it reads, the
 * whole body is read at once. Bytes over a limit are discarded, so that the client can go on to read the
 * response.
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

  /** Whether lines were dropped, because more bytes arrived than the limit. */
  get isCut(): boolean {
    return this.#isCut
  }

  /** Yields the body, cut after a whole line if lines were dropped. Can be read once. */
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
      // The call is not awaited, because a pending read lasts until the client sends something.
      this.#source.return?.().then(undefined, () => {})
    }
  }

  /** Reads to the end without waiting for the caller to request chunks. */
  start(): void {
    if (this.#arrival || this.#isOver) return
    this.#arrival = this.#terms.arrive((error) => this.#end(error))
    this.#readAll()
  }

  async #readAll(): Promise<void> {
    while (!this.#isOver) await this.#take()
    this.#arrival?.end()
  }

  /** Reads one more chunk. Concurrent callers share the same read. */
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

  /** Drops everything from here on, including an incomplete last line. */
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
