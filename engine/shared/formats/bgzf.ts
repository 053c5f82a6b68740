import { constants, crc32, deflateRawSync, inflateRawSync } from 'node:zlib'
import { FormatError } from './format-error.ts'
import type { Inflater } from './inflater.ts'

// Blocked gzip, SAM specification section 4.1 (version of 2024-11): a series of gzip members of at most 64 KiB
// each. The extra field BC contains the length of the whole member minus one.

/** Largest block, compressed or inflated, in bytes. */
export const MAX_BLOCK_BYTES = 65536
/** Maximum inflated bytes per written block. A block that cannot be compressed is then still below 64 KiB. */
export const WRITE_BLOCK_BYTES = 65280
/** Number of bytes before the compressed data if BC is the only extra field, as in files of all known writers. */
export const BLOCK_HEADER_BYTES = 18
/** Bytes of the footer: CRC32 and length of the inflated data. */
export const BLOCK_FOOTER_BYTES = 8

/** The empty block that marks the end of a complete file (section 4.1.2). */
export const END_MARKER: Uint8Array = Uint8Array.of(
  ...[0x1f, 0x8b, 0x08, 0x04], // gzip magic, deflate, extra field present
  ...[0, 0, 0, 0, 0, 0xff], // no time, no flags, unknown system
  ...[0x06, 0, 0x42, 0x43, 0x02, 0, 0x1b, 0], // six bytes of extra: BC, length 28 - 1
  ...[0x03, 0], // an empty deflate stream
  ...[0, 0, 0, 0, 0, 0, 0, 0], // CRC32 and length of nothing
)

/** Offsets of the parts of one block, relative to the start of the buffer with the block. */
export interface BlockFrame {
  readonly start: number
  readonly dataStart: number
  readonly end: number
  /** Length of the inflated data according to the footer. */
  readonly inflatedLength: number
}

const uint16 = (bytes: Uint8Array, at: number) => bytes[at]! | (bytes[at + 1]! << 8)
const uint32 = (bytes: Uint8Array, at: number) =>
  (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0

/**
 * Returns the length of the block at `at`, or 0 if its header is not complete before `limit`. Subfields
 * before BC are valid and are skipped.
 * @throws FormatError if the bytes are not a BGZF block header
 */
export function blockLength(bytes: Uint8Array, at: number, limit: number): number {
  if (limit - at < 12) return 0
  if (bytes[at] !== 0x1f || bytes[at + 1] !== 0x8b || bytes[at + 2] !== 8 || bytes[at + 3] !== 4) {
    throw new FormatError('block header is not that of a BGZF block')
  }
  const extraStart = at + 12
  const extraEnd = extraStart + uint16(bytes, at + 10)
  for (let field = extraStart; field + 4 <= extraEnd; field += 4 + uint16(bytes, field + 2)) {
    if (field + 6 > limit) return 0
    if (bytes[field] === 0x42 && bytes[field + 1] === 0x43 && uint16(bytes, field + 2) === 2) {
      const length = uint16(bytes, field + 4) + 1
      if (length < extraEnd - at + BLOCK_FOOTER_BYTES) {
        throw new FormatError(`block length ${length} is shorter than its own header`)
      }
      return length
    }
  }
  if (extraEnd > limit) return 0
  throw new FormatError('block has no BC field')
}

/**
 * Removes all extra subfields except BC, because some readers do not expect others. Returns the same bytes if
 * there are no others.
 * @throws FormatError if the bytes are not whole blocks
 */
export function plainBlocks(bytes: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = []
  let kept = 0
  for (let at = 0; at < bytes.length; ) {
    const length = blockLength(bytes, at, bytes.length)
    if (length === 0) throw new FormatError('block is cut off')
    const dataStart = at + 12 + uint16(bytes, at + 10)
    if (dataStart !== at + BLOCK_HEADER_BYTES) {
      const head = Uint8Array.from(END_MARKER.subarray(0, BLOCK_HEADER_BYTES))
      const shorter = length - (dataStart - at) + BLOCK_HEADER_BYTES - 1
      head[16] = shorter & 0xff
      head[17] = shorter >> 8
      parts.push(bytes.subarray(kept, at), head)
      kept = dataStart
    }
    at += length
  }
  if (parts.length === 0) return bytes
  return Uint8Array.from(Buffer.concat([...parts, bytes.subarray(kept)]))
}

/**
 * Returns the frame of the block at `at`, or undefined if the block is not complete before `limit`.
 * @throws FormatError if the bytes are not a BGZF block
 */
export function blockFrame(bytes: Uint8Array, at: number, limit: number): BlockFrame | undefined {
  const length = blockLength(bytes, at, limit)
  if (length === 0 || at + length > limit) return undefined
  const end = at + length
  const inflatedLength = uint32(bytes, end - 4)
  if (inflatedLength > MAX_BLOCK_BYTES) {
    throw new FormatError(
      `block claims ${inflatedLength} inflated bytes; at most 65536 are allowed`,
    )
  }
  return { start: at, dataStart: at + 12 + uint16(bytes, at + 10), end, inflatedLength }
}

/**
 * Inflates one block and verifies its length and CRC32.
 * @param inflater used instead of zlib; the result is then valid until the inflater is used again
 * @throws FormatError if the result differs from what the block's footer states
 */
export function inflateBlock(
  bytes: Uint8Array,
  frame: BlockFrame,
  inflater?: Inflater,
): Uint8Array {
  // Blocks with length 0 are inflated too, because damage may have zeroed their footer.
  const data = bytes.subarray(frame.dataStart, frame.end - BLOCK_FOOTER_BYTES)
  const checksum = uint32(bytes, frame.end - BLOCK_FOOTER_BYTES)
  const quick = inflater?.inflate(data)
  if (quick?.length === frame.inflatedLength && crc32(quick) === checksum) return quick
  // The block is damaged, or unusual but valid. zlib decides which.
  let inflated: Buffer
  try {
    inflated = inflateRawSync(data, {
      chunkSize: Math.max(frame.inflatedLength, constants.Z_MIN_CHUNK),
      maxOutputLength: MAX_BLOCK_BYTES,
    })
  } catch (cause) {
    throw new FormatError('block does not inflate', { cause })
  }
  if (inflated.length !== frame.inflatedLength) {
    throw new FormatError(
      `block inflates to ${inflated.length} bytes, its footer says ${frame.inflatedLength}`,
    )
  }
  if (crc32(inflated) !== checksum) {
    throw new FormatError('block has a wrong CRC32')
  }
  return inflated
}

/**
 * Compresses bytes into as many blocks as needed, without an end marker.
 * @param blockBytes inflated bytes per block, at most 65280
 */
export function compressBlocks(
  raw: Uint8Array,
  level = 1,
  blockBytes = WRITE_BLOCK_BYTES,
): Uint8Array[] {
  const blocks: Uint8Array[] = []
  for (let start = 0; start < raw.length; start += blockBytes) {
    blocks.push(compressBlock(raw.subarray(start, start + blockBytes), level))
  }
  return blocks
}

/**
 * Compresses bytes into one block.
 * @param raw at most 65280 bytes, or a few more, as blocks of htsjdk have
 */
export function compressBlock(raw: Uint8Array, level: number): Uint8Array {
  const target = MAX_BLOCK_BYTES - BLOCK_HEADER_BYTES - BLOCK_FOOTER_BYTES
  // Alignments shrink to about a third, so half a block is a good first buffer; zlib adds more if needed.
  let data = deflateRawSync(raw, { level, chunkSize: MAX_BLOCK_BYTES / 2 })
  // Level 0 stores the data with five bytes of overhead, which always fits.
  if (data.length > target) data = deflateRawSync(raw, { level: 0, chunkSize: MAX_BLOCK_BYTES * 2 })
  const block = Buffer.allocUnsafe(BLOCK_HEADER_BYTES + data.length + BLOCK_FOOTER_BYTES)
  block.set(END_MARKER.subarray(0, 16), 0)
  block.writeUInt16LE(block.length - 1, 16)
  block.set(data, BLOCK_HEADER_BYTES)
  block.writeUInt32LE(crc32(raw), block.length - 8)
  block.writeUInt32LE(raw.length, block.length - 4)
  return block
}
