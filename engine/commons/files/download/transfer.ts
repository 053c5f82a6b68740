import { EngineError } from '../../../shared/errors.ts'
import type { ByteSpan } from '../../../shared/streams/byte-span.ts'
import { type ByteStream, disposed, endOnce } from '../../../shared/streams/byte-stream.ts'
import { CACHED_BYTES, type ReadBuffers } from './read-buffers.ts'

/** Bytes that are read by place: a stored file, or an archive that is made as it is read. */
export interface ByteReading {
  /** Bytes that one read is best asked for. */
  readonly readBytes: number
  /** Fills as much of `into` as there is from `position` on; returns how many bytes that were. */
  read(
    into: Uint8Array,
    position: number,
    options: { readonly signal: AbortSignal },
  ): Promise<number>
  close(): Promise<void>
}

export interface TransferContext {
  readonly buffers: ReadBuffers
  /**
   * Whether the next chunk is read while one is being sent, in reads as large as they are best.
   * Otherwise memory is worth more: there is one buffer of 1 MiB.
   */
  readonly readsAhead: boolean
  readonly signal?: AbortSignal | undefined
  readonly onBytes: (bytes: number) => void
  /** Called once, when everything has been given back. */
  readonly onEnd: () => void
}

/**
 * Hands out a span of bytes chunk by chunk: at most one chunk that is being sent and one that is
 * being read, however slow the reader is.
 */
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
  /** Whether everything that was asked for has been read. */
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
    // Whoever awaits it sees the error; until then it must not count as unhandled.
    pending.catch(() => {})
    position += bytes.length
    return pending
  }
  const release = endOnce(async () => {
    if (!isRead) stop.abort(disposed())
    // The system may still be writing into a buffer.
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
