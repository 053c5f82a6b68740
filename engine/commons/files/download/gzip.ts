import { promisify } from 'node:util'
import { constants, crc32, deflateRaw } from 'node:zlib'
import type { ByteStream } from '../../../shared/streams/byte-stream.ts'

/**
 * Compression level. On one core, an expression table is compressed to 45% at 112 MB/s by level 1, and to 43%
 * at 41 MB/s by level 6. A BAM file, which is compressed already, does not get smaller.
 */
const LEVEL = 1
/** Number of bytes compressed as one block. Block boundaries depend only on the position. */
const WINDOW_BYTES = 1 << 20
/** Number of bytes of a window that are examined for compressibility. */
const SAMPLE_BYTES = 16 << 10
/**
 * Entropy in bits per byte above which data counts as compressed. Compressed bytes have at least 7.98, tables
 * and texts at most 6.
 */
const PACKED_ENTROPY = 7.9

/** Gzip header (RFC 1952 2.3): deflate, no name, no time, no flags, unknown system. */
const HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff])
/** A stored block has a header of 5 bytes and at most 65,535 bytes of data (RFC 1951 3.2.4). */
const STORED_HEADER_BYTES = 5
const MAX_STORED_BYTES = 0xffff
const STORED_BYTES = WINDOW_BYTES + Math.ceil(WINDOW_BYTES / MAX_STORED_BYTES) * STORED_HEADER_BYTES

/**
 * Compresses a stream to a gzip member without time and name. zlib's threads compress two windows at a time.
 * Windows that would not get smaller are stored uncompressed, which is thirty times as fast. Nothing is read
 * ahead of the consumer. Output depends only on the input bytes, not on their chunks.
 */
export function gzipped(plain: ByteStream): ByteStream {
  async function* chunks(): AsyncGenerator<Uint8Array> {
    let checksum = 0
    let size = 0
    let before: Promise<Buffer<ArrayBuffer>> | undefined
    try {
      for await (const { window, target } of windowsOf(plain.body)) {
        // The header is sent after the first window is ready, so that an error in it can still set the status.
        if (size === 0) yield HEADER
        checksum = crc32(window, checksum)
        size += window.length
        const packed = packedWindow(window, target)
        // Prevents an unhandled rejection until the promise is awaited below.
        packed.catch(() => {})
        const ready = before
        before = packed
        if (ready) yield* sent(await ready)
      }
      if (size === 0) yield HEADER
      if (before) yield* sent(await before)
      yield endOf(checksum, size)
    } finally {
      await before?.catch(() => {})
      await plain[Symbol.asyncDispose]()
    }
  }
  return { body: chunks(), [Symbol.asyncDispose]: () => plain[Symbol.asyncDispose]() }
}

interface Window {
  /** Bytes of the window. The buffer is used again for the third window after this one. */
  readonly window: Buffer
  /** Buffer for the window if it is stored uncompressed. */
  readonly target: Buffer<ArrayBuffer>
}

/** Number of windows in memory: one being filled, and two being compressed or sent. */
const SLOTS = 3

async function* windowsOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<Window> {
  const slots: { readonly bytes: Buffer; readonly target: Buffer<ArrayBuffer> }[] = []
  let next = 0
  let filled = 0
  const slot = () => {
    slots[next] ??= {
      bytes: Buffer.allocUnsafeSlow(WINDOW_BYTES),
      target: Buffer.allocUnsafeSlow(STORED_BYTES),
    }
    return slots[next] as (typeof slots)[number]
  }
  const take = (): Window => {
    const { bytes, target } = slot()
    const window = bytes.subarray(0, filled)
    next = (next + 1) % SLOTS
    filled = 0
    return { window, target }
  }
  for await (const chunk of body) {
    for (let at = 0; at < chunk.length; ) {
      const part = chunk.subarray(at, at + WINDOW_BYTES - filled)
      slot().bytes.set(part, filled)
      filled += part.length
      at += part.length
      if (filled === WINDOW_BYTES) yield take()
    }
  }
  if (filled > 0) yield take()
}

const deflateWindow = promisify(deflateRaw) as (
  bytes: Uint8Array,
  options: { level: number; finishFlush: number; chunkSize: number },
) => Promise<Buffer<ArrayBuffer>>

async function packedWindow(
  window: Buffer,
  target: Buffer<ArrayBuffer>,
): Promise<Buffer<ArrayBuffer>> {
  if (isPacked(window)) return inFrames(window, target)
  return deflateWindow(window, {
    level: LEVEL,
    // Ends at a byte boundary, without marking the last block.
    finishFlush: constants.Z_SYNC_FLUSH,
    chunkSize: WINDOW_BYTES,
  })
}

function inFrames(window: Buffer, target: Buffer<ArrayBuffer>): Buffer<ArrayBuffer> {
  let filled = 0
  for (let at = 0; at < window.length; at += MAX_STORED_BYTES) {
    const part = window.subarray(at, at + MAX_STORED_BYTES)
    target.writeUInt8(0, filled)
    target.writeUInt16LE(part.length, filled + 1)
    target.writeUInt16LE(~part.length & 0xffff, filled + 3)
    target.set(part, filled + STORED_HEADER_BYTES)
    filled += STORED_HEADER_BYTES + part.length
  }
  return target.subarray(0, filled)
}

/** Returns whether bytes look compressed, by their entropy. */
function isPacked(bytes: Uint8Array): boolean {
  const sample = bytes.subarray(0, SAMPLE_BYTES)
  // A short sample cannot have enough distinct values for an estimate.
  if (sample.length < SAMPLE_BYTES) return false
  const counts = new Uint32Array(256)
  for (const byte of sample) counts[byte] = (counts[byte] ?? 0) + 1
  let entropy = 0
  for (const count of counts) {
    if (count > 0) entropy -= (count / sample.length) * Math.log2(count / sample.length)
  }
  return entropy > PACKED_ENTROPY
}

/** Yields a chunk, then frees its zlib buffer, which garbage collection would keep until 64 MB pile up. */
function* sent(chunk: Buffer<ArrayBuffer>): Generator<Uint8Array> {
  yield chunk
  if (chunk.buffer.byteLength === WINDOW_BYTES) chunk.buffer.transfer(0)
}

/** Returns the end of a gzip member: an empty last block, the CRC32 and the uncompressed length. */
function endOf(checksum: number, size: number): Buffer {
  const end = Buffer.alloc(13)
  end.set([1, 0, 0, 0xff, 0xff])
  end.writeUInt32LE(checksum, 5)
  end.writeUInt32LE(size % 2 ** 32, 9)
  return end
}
