import type { Lease } from './current-release.ts'

/** A body that is made while it is taken, and how much of it has been taken already. */
export interface Begun {
  readonly taken: readonly Uint8Array[]
  readonly rest: AsyncGenerator<Uint8Array>
}

export const notBegun = (rest: AsyncGenerator<Uint8Array>): Begun => ({ taken: [], rest })

/** A body of one chunk as these bytes: its length is then known before it is sent. */
export async function wholeOrBegun(rest: AsyncGenerator<Uint8Array>): Promise<Uint8Array | Begun> {
  const first = await rest.next()
  if (first.done) return new Uint8Array(0)
  const second = await rest.next()
  return second.done ? first.value : { taken: [first.value, second.value], rest }
}

/** So few records are likely to be one chunk. */
const FEW_ROWS = 20

/** The body of a list of so many records. */
export async function listBody(
  body: AsyncGenerator<Uint8Array>,
  rows: number,
): Promise<Uint8Array | Begun> {
  return rows <= FEW_ROWS ? wholeOrBegun(body) : notBegun(body)
}

export async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/**
 * A body that holds a lease. Its jobs read files of the release, so the lease goes back when the
 * body has ended and its jobs have settled, whoever is told to close before.
 */
export class LeasedBody implements AsyncIterable<Uint8Array> {
  readonly #body: Begun
  readonly #lease: Lease
  #isStarted = false

  constructor(body: Begun, lease: Lease) {
    this.#body = body
    this.#lease = lease
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    this.#isStarted = true
    try {
      yield* this.#body.taken
      yield* this.#body.rest
    } catch (error) {
      throw this.#lease.fault(error)
    } finally {
      await this.#end()
    }
  }

  /** Who takes the body ends it; a body that nobody takes is ended here. */
  async close(): Promise<void> {
    if (!this.#isStarted) await this.#end()
  }

  async #end(): Promise<void> {
    try {
      await this.#body.rest.return(undefined)
    } finally {
      this.#lease.end()
    }
  }
}
