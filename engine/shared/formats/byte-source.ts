import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'

const READ_BYTES = 1 << 20

/**
 * Inflates gzip bytes.
 * @param chunkSize maximum size of the chunks in bytes
 */
export function inflated(
  bytes: AsyncIterable<Uint8Array>,
  chunkSize = READ_BYTES,
): AsyncIterable<Uint8Array> {
  const gunzip = createGunzip({ chunkSize })
  // An error of either stream reaches the reader as an error of gunzip.
  pipeline(Readable.from(bytes), gunzip, () => {})
  return gunzip
}

/** Passes chunks on and reports the size of each. */
export async function* counted(
  bytes: AsyncIterable<Uint8Array>,
  onRead: ((bytes: number) => void) | undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of bytes) {
    onRead?.(chunk.length)
    yield chunk
  }
}

/** Returns whether bytes start like gzip (RFC 1952 section 2.3.1). */
export const isGzip = (head: Uint8Array): boolean => head[0] === 0x1f && head[1] === 0x8b

/** Returns whether an error means that gzip data is truncated or damaged. */
export const isGzipError = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')

/** Yields the bytes of a stream. They are inflated if they start like gzip. Ends the stream when the caller stops. */
export async function* plainBytes(
  stream: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const raw = peek(stream)
  const isPacked = isGzip(await raw.head(2))
  const bytes = raw.all()
  try {
    yield* isPacked ? inflated(bytes) : bytes
  } finally {
    // Bytes may follow the gzip data.
    await bytes.return()
  }
}

/** Returns the first bytes of a stream, and the whole stream for reading later. */
export function peek(bytes: AsyncIterable<Uint8Array>) {
  const iterator = bytes[Symbol.asyncIterator]()
  const first: Uint8Array[] = []
  let length = 0
  return {
    async head(wanted: number): Promise<Buffer> {
      while (length < wanted) {
        const next = await iterator.next()
        if (next.done) break
        first.push(next.value)
        length += next.value.length
      }
      return Buffer.concat(first)
    },
    async *all(): AsyncGenerator<Uint8Array, void, undefined> {
      try {
        yield* first.splice(0)
        for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
          yield next.value
        }
      } finally {
        await iterator.return?.()
      }
    },
  }
}
