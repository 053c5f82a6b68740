import type { Lease } from './current-release.ts'

/** Nothing is held. */
export const done = () => Promise.resolve()

/** A body of one chunk as these bytes: its length is then known before it is sent. */
export async function wholeOrStream(
  body: AsyncGenerator<Uint8Array>,
): Promise<Uint8Array | AsyncIterable<Uint8Array>> {
  const first = await body.next()
  if (first.done) return new Uint8Array(0)
  const second = await body.next()
  if (second.done) return first.value
  return resumed([first.value, second.value], body)
}

async function* resumed(
  taken: readonly Uint8Array[],
  rest: AsyncGenerator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    yield* taken
    yield* rest
  } finally {
    await rest.return(undefined)
  }
}

export async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/**
 * A body that holds a lease. Its jobs read files of the release, so a body that has been started
 * gives the lease back at its own end, when they have settled, and not when it is told to close.
 */
export class LeasedBody implements AsyncIterable<Uint8Array> {
  readonly #chunks: AsyncIterable<Uint8Array>
  readonly #lease: Lease
  #isStarted = false

  constructor(chunks: AsyncIterable<Uint8Array>, lease: Lease) {
    this.#chunks = chunks
    this.#lease = lease
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    this.#isStarted = true
    try {
      yield* this.#chunks
    } finally {
      this.#lease.end()
    }
  }

  close(): void {
    if (!this.#isStarted) this.#lease.end()
  }
}
