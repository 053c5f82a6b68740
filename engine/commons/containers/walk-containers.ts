import { crc32, gunzipSync } from 'node:zlib'
import type { WithSource } from '../../shared/blobs/blob.ts'
import { type ByteSource, damage, readFully } from '../../shared/blobs/source.ts'
import type { Job } from '../../shared/executor.ts'
import {
  BLOCK_HEADER_MOST,
  CHECKSUM_BYTES,
  type ContainerHeader,
  DEFINITION_BYTES,
  parseBlock,
  parseContainer,
  parseSlice,
  SLICE_HEADER,
  type SliceHeader,
} from '../../shared/formats/cram.ts'
import { FormatError } from '../../shared/formats/format-error.ts'

interface WalkInput extends WithSource {
  /** File offset of the first container. Containers that start before `end` are walked. */
  readonly start: number
  readonly end: number
  /** Whether to read the blocks and verify their checksums. If false, only headers are read. */
  readonly isProof: boolean
}

interface WalkedContainers {
  /** Per container: its file offset, reference number, and the 1-based start of its records on the reference. */
  readonly offsets: Float64Array<ArrayBuffer>
  readonly references: Int32Array<ArrayBuffer>
  readonly starts: Int32Array<ArrayBuffer>
  /** SLICE_COLUMNS numbers per slice, one slice after the other. */
  readonly slices: Float64Array<ArrayBuffer>
  readonly records: number
  /** File offset just after the last container walked. */
  readonly next: number
}

/** Columns of a slice, as in an index line: reference, start, span, container, landmark, bytes. */
export const SLICE_COLUMNS = 6

/** Bytes read for a container header, which has one landmark per slice. */
export const HEADER_WINDOW = 1 << 16
const READ_BYTES = 1 << 20

/**
 * Validates consecutive containers: checksums of headers and blocks, and that block lengths match the header.
 * Only slice headers are decoded.
 * @throws EngineError corrupt_source at the first fault
 */
export const walkContainersJob: Job<WalkInput, WalkedContainers> = {
  name: 'containers.walk',
  transfer: ({ offsets, references, starts, slices }) => [
    offsets.buffer,
    references.buffer,
    starts.buffer,
    slices.buffer,
  ],
  run({ source, start, end, isProof }, scratch) {
    const offsets: number[] = []
    const references: number[] = []
    const starts: number[] = []
    const slices: number[] = []
    let records = 0
    let at = start
    const window = scratch.bytes('header', HEADER_WINDOW)
    const buffer = scratch.bytes('window', READ_BYTES)
    while (at < end) {
      const header = containerAt(source, window, at)
      if (isProof) walkBlocks(source, buffer, at, header)
      offsets.push(at)
      references.push(header.reference)
      starts.push(header.start)
      // The first container contains the header text and no slices.
      if (at !== DEFINITION_BYTES) {
        for (const row of slicesOf(source, window, at, header)) slices.push(...row)
      }
      records += header.records
      at += header.headerBytes + header.blockBytes
    }
    return {
      records,
      next: at,
      offsets: Float64Array.from(offsets),
      references: Int32Array.from(references),
      starts: Int32Array.from(starts),
      slices: Float64Array.from(slices),
    }
  },
}

/** Yields a row of SLICE_COLUMNS for each slice. */
function* slicesOf(
  source: ByteSource,
  window: Buffer,
  container: number,
  { headerBytes, blockBytes, landmarks }: ContainerHeader,
): Generator<readonly number[]> {
  for (const [i, landmark] of landmarks.entries()) {
    const place = container + headerBytes + landmark
    const { reference, start, span } = sliceAt(source, window, place)
    yield [reference, start, span, container, landmark, (landmarks[i + 1] ?? blockBytes) - landmark]
  }
}

/** Bytes read for a slice header. The fields used here are at its start. */
const SLICE_WINDOW = 256

/**
 * Reads the slice header at a file offset.
 * @throws EngineError corrupt_source if there is none, or it is damaged
 */
export function sliceAt(source: ByteSource, window: Buffer, place: number): SliceHeader {
  const head = window.subarray(0, readFully(source, window.subarray(0, SLICE_WINDOW), place))
  const { method, content, headerBytes, dataBytes } = blockOf(head, place)
  if (content !== SLICE_HEADER) throw damage('no slice begins where its container says', place)
  try {
    if (method === RAW) return parseSlice(head.subarray(headerBytes))
    const packed = window.subarray(0, dataBytes)
    const read = readFully(source, packed, place + headerBytes)
    if (method !== GZIP || read < dataBytes) throw new FormatError('it cannot be unpacked')
    return parseSlice(gunzipSync(packed, { maxOutputLength: HEADER_WINDOW }))
  } catch (cause) {
    throw damage('header of a slice', place, cause)
  }
}

const RAW = 0
const GZIP = 1

/**
 * Reads the container header at a file offset and verifies its CRC32.
 * @throws EngineError corrupt_source if there is none, or it is damaged
 */
export function containerAt(source: ByteSource, window: Uint8Array, at: number): ContainerHeader {
  return containerIn(window.subarray(0, readFully(source, window, at)), at)
}

/**
 * Parses the container header at the start of bytes that were read at a file offset, and verifies its CRC32.
 * @throws EngineError corrupt_source if there is none, or it is damaged
 */
export function containerIn(bytes: Uint8Array, at: number): ContainerHeader {
  try {
    const header = parseContainer(bytes)
    if (crc32(bytes.subarray(0, header.checkedBytes)) !== header.checksum) {
      throw damage('header of a container has a wrong CRC32', at)
    }
    return header
  } catch (cause) {
    throw damage('container', at, cause)
  }
}

function walkBlocks(
  source: ByteSource,
  buffer: Buffer,
  container: number,
  { headerBytes, blockBytes, blocks }: ContainerHeader,
): void {
  let at = container + headerBytes
  const end = at + blockBytes
  for (let i = 0; i < blocks; i++) {
    const head = buffer.subarray(0, readFully(source, buffer.subarray(0, BLOCK_HEADER_MOST), at))
    const block = blockOf(head, at)
    const dataEnd = at + block.headerBytes + block.dataBytes
    if (dataEnd + CHECKSUM_BYTES > end) throw damage('block reaches out of its container', at)
    const found = checksumOf(source, buffer, at, dataEnd)
    const stated = buffer.subarray(0, CHECKSUM_BYTES)
    const read = readFully(source, stated, dataEnd)
    if (read < CHECKSUM_BYTES || stated.readUInt32LE(0) !== found) {
      throw damage('block has a wrong CRC32', at)
    }
    at = dataEnd + CHECKSUM_BYTES
  }
  if (at !== end) throw damage('container is longer than its blocks', container)
}

function blockOf(bytes: Uint8Array, at: number) {
  try {
    return parseBlock(bytes)
  } catch (cause) {
    throw damage('block', at, cause)
  }
}

function checksumOf(source: ByteSource, buffer: Buffer, from: number, to: number): number {
  let checksum = 0
  for (let at = from; at < to; ) {
    const wanted = buffer.subarray(0, to - at)
    const read = readFully(source, wanted, at)
    if (read < wanted.length) throw damage('block is cut off', from)
    checksum = crc32(wanted, checksum)
    at += read
  }
  return checksum
}
