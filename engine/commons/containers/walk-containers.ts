import { crc32 } from 'node:zlib'
import type { WithSource } from '../../shared/blobs/blob.ts'
import { type ByteSource, damage, readFully } from '../../shared/blobs/source.ts'
import type { Job } from '../../shared/executor.ts'
import {
  BLOCK_HEADER_MOST,
  CHECKSUM_BYTES,
  type ContainerHeader,
  parseBlock,
  parseContainer,
} from '../../shared/formats/cram.ts'

export interface WalkInput extends WithSource {
  /** File offset of a container; containers that start before `end` are walked. */
  readonly start: number
  readonly end: number
}

export interface WalkedContainers {
  /** Of each: its file offset, the number of its reference, and how many records it has. */
  readonly offsets: Float64Array<ArrayBuffer>
  readonly references: Int32Array<ArrayBuffer>
  /** What each covers of its reference, 1-based: where it starts, and how many bases. */
  readonly starts: Int32Array<ArrayBuffer>
  readonly spans: Int32Array<ArrayBuffer>
  readonly records: number
  /** File offset behind the last. */
  readonly next: number
}

/** A header has a landmark for each slice of its container. */
const HEADER_WINDOW = 1 << 16
const READ_BYTES = 1 << 20

/**
 * Proves containers one after the other: that their headers and blocks have their checksums, and that the
 * blocks are as long as the header says. Nothing is decoded.
 * @throws EngineError corrupt_source
 */
export const walkContainersJob: Job<WalkInput, WalkedContainers> = {
  name: 'containers.walk',
  transfer: ({ offsets, references, starts, spans }) => [
    offsets.buffer,
    references.buffer,
    starts.buffer,
    spans.buffer,
  ],
  run({ source, start, end }, scratch) {
    const offsets: number[] = []
    const references: number[] = []
    const starts: number[] = []
    const spans: number[] = []
    let records = 0
    let at = start
    const window = scratch.bytes('header', HEADER_WINDOW)
    const buffer = scratch.bytes('window', READ_BYTES)
    while (at < end) {
      const header = containerAt(source, window, at)
      walkBlocks(source, buffer, at, header)
      offsets.push(at)
      references.push(header.reference)
      starts.push(header.start)
      spans.push(header.span)
      records += header.records
      at += header.headerBytes + header.blockBytes
    }
    return {
      ...{ records, next: at },
      offsets: Float64Array.from(offsets),
      references: Int32Array.from(references),
      starts: Int32Array.from(starts),
      spans: Int32Array.from(spans),
    }
  },
}

/** @throws EngineError corrupt_source */
export function containerAt(source: ByteSource, window: Uint8Array, at: number): ContainerHeader {
  const bytes = window.subarray(0, readFully(source, window, at))
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
