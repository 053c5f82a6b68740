import { EngineError } from '../../../shared/errors.ts'
import type { ByteSpan } from '../../../shared/streams/byte-span.ts'
import { type ByteStream, disposed, endOnce } from '../../../shared/streams/byte-stream.ts'
import { CACHED_BYTES, type ReadBuffers } from './read-buffers.ts'

/** Bytes that can be read by position: a stored file, or an archive generated on the fly. */
export interface ByteReading {
  /** Preferred size of a read in bytes. */
  readonly readBytes: number
  /** Fills `into` from `position` on. Returns the number of bytes read. */
  read(
    into: Uint8Array,
    position: number,
    options: { readonly signal: AbortSignal },
  ): Promise<number>
  close(): Promise<void>
}

interface TransferContext {
  readonly buffers: ReadBuffers
  /** Whether to read the next chunk while a chunk is being sent. Otherwise a single buffer of 1 MiB is used. */
  readonly readsAhead: boolean
  readonly signal?: AbortSignal | undefined
  readonly onBytes: (bytes: number) => void
  /** Called once, when all buffers have been returned. */
  readonly onEnd: () => void
}

/** Streams a range of bytes. Even for a slow client, at most one chunk waits to be sent and one is being read. */
export function transfer(
  reading: ByteReading,
  { start, end }: ByteSpan,
  { buffers, readsAhead, signal, onBytes, onEnd }: TransferContext,
): ByteStream {
  const stop = new AbortController()
  const stopping = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal
  const taken: Buffer[] = []
  let pending: Promise<Uint8Array> | undefined
  let position = start
  /** Whether the whole range has been read. */
  let isRead = false

  const nextBuffer = () => {
    const most = readsAhead ? reading.readBytes : Math.min(reading.readBytes, CACHED_BYTES)
    const buffer = buffers.take(Math.min(most, end - start))
    taken.push(buffer)
    return buffer
  }
  const readInto = (buffer: Buffer): Promise<Uint8Array> => {
    const bytes = buffer.subarray(0, end - position)
    pending = readWhole(reading, bytes, position, stopping)
    // Prevents an unhandled rejection until the promise is awaited.
    pending.catch(() => {})
    position += bytes.length
    return pending
  }
  const release = endOnce(async () => {
    if (!isRead) stop.abort(disposed())
    // The operating system may still be writing to a buffer.
    await pending?.catch(() => {})
    try {
      await reading.close()
    } finally {
      for (const buffer of taken) buffers.give(buffer)
      onEnd()
    }
  })
  async function* chunks(): AsyncGenerator<Uint8Array> {
    try {
      if (start >= end) return
      stopping.throwIfAborted()
      let current = nextBuffer()
      let spare = readsAhead && end - start > current.length ? nextBuffer() : undefined
      let next: Promise<Uint8Array> | undefined = readInto(current)
      while (next) {
        const chunk: Uint8Array = await next
        stopping.throwIfAborted()
        next = position < end && spare ? readInto(spare) : undefined
        onBytes(chunk.length)
        yield chunk
        stopping.throwIfAborted()
        if (!next && position < end) next = readInto(current)
        else if (spare) [current, spare] = [spare, current]
      }
      isRead = true
    } finally {
      await release()
    }
  }
  return { body: chunks(), length: end - start, [Symbol.asyncDispose]: release }
}

async function readWhole(
  reading: ByteReading,
  into: Uint8Array,
  position: number,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const filled = await reading.read(into, position, { signal })
  if (filled === into.length) return into
  throw new EngineError(
    'corrupt_source',
    `stored file ends at byte ${position + filled}, before its size on record`,
  )
}
