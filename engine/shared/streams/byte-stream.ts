import { EngineError } from '../errors.ts'

/**
 * Bytes that are generated while they are read. The stream may own files, leases and places in queues, so its
 * owner must dispose of it, whether or not the body was read.
 */
export interface ByteStream extends AsyncDisposable {
  /**
   * Can be read once. The memory of a chunk may be reused when the next chunk is requested. If the body ends
   * without an error, it is complete.
   */
  readonly body: AsyncIterable<Uint8Array>
  /** Length of the body in bytes. Undefined if it is not known in advance. */
  readonly length?: number | undefined
  /**
   * Stops the work in progress, so that a pending chunk settles, and releases all resources. A body that was
   * read to its end has done so itself. Further calls do nothing.
   */
  [Symbol.asyncDispose](): Promise<void>
}

/** Runs the function on the first call only. Later calls share the first call's result. */
export function endOnce(end: () => Promise<void>): () => Promise<void> {
  let ended: Promise<void> | undefined
  return () => {
    ended ??= end()
    return ended
  }
}

/** Creates the error for reading a body after its stream was disposed of. */
export function disposed(): EngineError {
  return new EngineError('unavailable', 'the stream was disposed of before its end')
}

/** Creates a stream of bytes in memory. */
export function wholeStream(bytes: Uint8Array): ByteStream {
  async function* body(): AsyncGenerator<Uint8Array> {
    yield bytes
  }
  return { body: body(), length: bytes.length, [Symbol.asyncDispose]: () => Promise.resolve() }
}

/** Cleanup at the end of a generated stream. */
export interface GeneratedEnd {
  /** Makes a pending chunk settle soon, if it could otherwise take long. */
  readonly stop?: () => void
  /** Called once, after the generator has finished. */
  readonly giveBack: () => void | Promise<void>
  /** Converts an error that the generator threw. */
  readonly errorOf?: (error: unknown) => unknown
}

/** A generator, and the chunks that have already been taken from it. */
export interface Generated {
  readonly taken?: readonly Uint8Array[]
  readonly rest: AsyncGenerator<Uint8Array>
}

/**
 * Creates a stream from a generator, which stops when the stream is disposed of.
 * @throws EngineError `unavailable` from a body that is read after its stream was disposed of
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
