import { EngineError } from '../errors.ts'

/**
 * Bytes that are made as they are read. Files, leases and places in queues are held for them: whoever
 * gets the stream disposes of it, whether all of the body was read or none.
 */
export interface ByteStream extends AsyncDisposable {
  /**
   * Read once. A chunk's memory may be used again as soon as the next chunk is asked for. A body that
   * ends without an error is whole.
   */
  readonly body: AsyncIterable<Uint8Array>
  /** Bytes of the body, where that is known beforehand. */
  readonly length?: number | undefined
  /**
   * Stops what is under way, so that a chunk that is being waited for settles, and gives back what
   * is held. A body that was read to its end has done so itself. Again does no harm.
   */
  [Symbol.asyncDispose](): Promise<void>
}

/** Acts at the first call alone; every call settles as that one does. */
export function endOnce(end: () => Promise<void>): () => Promise<void> {
  let ended: Promise<void> | undefined
  return () => {
    ended ??= end()
    return ended
  }
}

/** The error of a body that is read on after its stream was disposed of. */
export function disposed(): EngineError {
  return new EngineError('unavailable', 'the stream was disposed of before its end')
}

/** Bytes that are in memory already. */
export function wholeStream(bytes: Uint8Array): ByteStream {
  async function* body(): AsyncGenerator<Uint8Array> {
    yield bytes
  }
  return { body: body(), length: bytes.length, [Symbol.asyncDispose]: () => Promise.resolve() }
}

/** How what a generator makes ends. */
export interface GeneratedEnd {
  /** Has a chunk that is being made settle, where that may take long. */
  readonly stop?: () => void
  /** Called once, when nothing of the generator runs any more. */
  readonly giveBack: () => void | Promise<void>
  /** The error to end with, of one that the generator throws. */
  readonly errorOf?: (error: unknown) => unknown
}

/** A generator, and what was taken from it already. */
export interface Generated {
  readonly taken?: readonly Uint8Array[]
  readonly rest: AsyncGenerator<Uint8Array>
}

/**
 * What a generator makes, which runs no longer than somebody wants it.
 * @throws EngineError `unavailable` from a body that is read on after its stream was disposed of
 */
export function generatedStream(
  { taken = [], rest }: Generated,
  { stop, giveBack, errorOf = (error) => error }: GeneratedEnd,
): ByteStream {
  let isEnding = false
  const end = endOnce(async () => {
    isEnding = true
    stop?.()
    try {
      await rest.return(undefined)
    } finally {
      await giveBack()
    }
  })
  async function* body(): AsyncGenerator<Uint8Array> {
    try {
      yield* taken
      yield* rest
      if (isEnding) throw disposed()
    } catch (error) {
      throw errorOf(error)
    } finally {
      await end()
    }
  }
  return { body: body(), [Symbol.asyncDispose]: end }
}
