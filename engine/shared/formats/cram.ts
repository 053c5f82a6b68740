import { crc32, deflateRawSync } from 'node:zlib'
import { FormatError } from './format-error.ts'

// CRAM 3.0 and 3.1, specification sections 2 (integers), 6 (file definition), 7 (containers), 8 (blocks) and
// 9 (end of file). A file is a series of containers, each with blocks. This module reads only their lengths,
// reference ranges and checksums.

/** Bytes of the file definition. The first container follows. */
export const DEFINITION_BYTES = 26

/** The container that marks the end of a complete file (section 9). */
export const CRAM_END: Uint8Array = Uint8Array.of(
  0x0f,
  0,
  0,
  0,
  0xff,
  0xff,
  0xff,
  0xff,
  0x0f,
  0xe0,
  0x45,
  0x4f,
  0x46,
  0,
  0,
  0,
  0,
  1,
  0,
  0x05,
  0xbd,
  0xd9,
  0x4f,
  0,
  1,
  0,
  0x06,
  0x06,
  1,
  0,
  1,
  0,
  1,
  0,
  0xee,
  0x63,
  0x01,
  0x4b,
)

/**
 * Checks the file definition.
 * @throws FormatError if the bytes are not CRAM or the version is not supported
 */
export function checkDefinition(bytes: Uint8Array): void {
  const magic = String.fromCharCode(...bytes.subarray(0, 4))
  if (magic !== 'CRAM' || bytes.length < DEFINITION_BYTES) throw new FormatError('file is not CRAM')
  if (bytes[4] !== 3)
    throw new FormatError(`CRAM ${bytes[4]}.${bytes[5]} is not read, 3.0 and 3.1 are`)
}

export interface ContainerHeader {
  /** Bytes of the header, bytes of the blocks that follow, and the number of blocks. */
  readonly headerBytes: number
  readonly blockBytes: number
  readonly blocks: number
  /** Reference number, -1 for unplaced records, -2 for several references. */
  readonly reference: number
  /** Start (1-based) and length in bases of the range of the records, for a container of one reference. */
  readonly start: number
  readonly span: number
  readonly records: number
  /** Offsets of the slices, relative to the end of the header. */
  readonly landmarks: readonly number[]
  /** Number of bytes covered by the header's checksum, and the checksum. */
  readonly checkedBytes: number
  readonly checksum: number
}

/**
 * Parses the header of a container, starting at the first byte.
 * @throws FormatError if it is truncated or impossible
 */
export function parseContainer(bytes: Uint8Array): ContainerHeader {
  const at = new Numbers(bytes)
  const blockBytes = at.int32()
  const reference = at.itf8()
  const start = at.itf8()
  const span = at.itf8()
  const records = at.itf8()
  at.ltf8()
  at.ltf8()
  const blocks = at.itf8()
  const slices = at.itf8()
  if (blockBytes < 0 || blocks < 0 || records < 0 || slices < 0 || slices > blocks) {
    throw new FormatError('header of a container is impossible')
  }
  const landmarks: number[] = []
  for (let i = 0; i < slices; i++) {
    const landmark = at.itf8()
    if (landmark < (landmarks.at(-1) ?? 0) || landmark > blockBytes) {
      throw new FormatError('place of a slice in its container is impossible')
    }
    landmarks.push(landmark)
  }
  const checkedBytes = at.offset
  const checksum = at.int32() >>> 0
  const headerBytes = at.offset
  return {
    headerBytes,
    blockBytes,
    blocks,
    reference,
    start,
    span,
    records,
    landmarks,
    checkedBytes,
    checksum,
  }
}

interface BlockHeader {
  /** Compression method. 0 is raw, 1 is gzip. All others are not supported here. */
  readonly method: number
  /** Content type: 2 is a slice header. */
  readonly content: number
  readonly headerBytes: number
  readonly dataBytes: number
  /** Size of the uncompressed data. */
  readonly rawBytes: number
}

/** Bytes of a block's checksum, which follows its data. */
export const CHECKSUM_BYTES = 4
/** Maximum size of a block header. */
export const BLOCK_HEADER_MOST = 17

/**
 * Parses a block header.
 * @throws FormatError like parseContainer
 */
export function parseBlock(bytes: Uint8Array): BlockHeader {
  const at = new Numbers(bytes)
  const method = at.byte()
  const content = at.byte()
  at.itf8()
  const dataBytes = at.itf8()
  const rawBytes = at.itf8()
  if (dataBytes < 0 || rawBytes < 0) throw new FormatError('length of a block is impossible')
  return { method, content, headerBytes: at.offset, dataBytes, rawBytes }
}

/** Reference number in the header of a container or slice with records of several references. */
export const SEVERAL_REFERENCES = -2
export const SLICE_HEADER = 2

export interface SliceHeader {
  /** Reference, with the same values as in ContainerHeader. */
  readonly reference: number
  readonly start: number
  readonly span: number
  readonly records: number
}

/**
 * Parses the uncompressed data of a slice header block.
 * @throws FormatError as parseContainer
 */
export function parseSlice(bytes: Uint8Array): SliceHeader {
  const at = new Numbers(bytes)
  const reference = at.itf8()
  const start = at.itf8()
  const span = at.itf8()
  const records = at.itf8()
  if (reference < SEVERAL_REFERENCES || records < 0) {
    throw new FormatError('header of a slice is impossible')
  }
  return { reference, start, span, records }
}

/** A line of a CRAI index: the location of a slice, and the range of a reference that its records cover. */
export interface CraiLine {
  /** Reference number, or -1 for unplaced records. */
  readonly reference: number
  /** First base of the slice, 1-based. */
  readonly start: number
  readonly span: number
  /** File offset of the container. */
  readonly container: number
  /** Offset of the slice, relative to the end of the container header, and its length in bytes. */
  readonly landmark: number
  readonly bytes: number
}

/**
 * Parses a CRAI index, without lines of slices of 0 bytes, which writeCrai adds.
 * @throws FormatError if a line is invalid
 */
export function parseCrai(text: string): CraiLine[] {
  return text.split('\n').flatMap((line, i) => {
    if (line === '') return []
    const numbers = line.split('\t').map(Number)
    const [reference = -2, start = 0, span = 0, container = -1, landmark = -1, bytes = -1] = numbers
    const isWhole = numbers.length === 6 && numbers.every(Number.isSafeInteger)
    if (!isWhole || reference < -1 || container < 0 || landmark < 0 || bytes < 0) {
      throw new FormatError(`line ${i + 1} of the index is not a CRAI line`)
    }
    return bytes === 0 ? [] : [{ reference, start, span, container, landmark, bytes }]
  })
}

/**
 * Gzip header (RFC 1952 section 2.3) with a comment, which all readers skip. It marks an index that casemill has
 * built, because earlier versions stored indexes supplied by users.
 */
const MADE_HEAD: Uint8Array = Buffer.from('\x1f\x8b\x08\x10\0\0\0\0\0\xffcasemill\0', 'latin1')

/**
 * Writes an index with lines as `samtools index` prints them. An index without slices lists the end marker as a
 * slice of 0 bytes, because htslib does not recognise an empty file at a URL as an index.
 * @param end file offset of the end marker
 */
export function writeCrai(lines: readonly CraiLine[], end: number): Uint8Array<ArrayBuffer> {
  const marker = { reference: -1, start: 0, span: 0, container: end, landmark: 0, bytes: 0 }
  const text = Buffer.from(
    (lines.length > 0 ? lines : [marker])
      .map(({ reference, start, span, container, landmark, bytes }) => {
        return `${reference}\t${start}\t${span}\t${container}\t${landmark}\t${bytes}\n`
      })
      .join(''),
  )
  const sums = Buffer.alloc(8)
  sums.writeUInt32LE(crc32(text), 0)
  sums.writeUInt32LE(text.length >>> 0, 4)
  return Buffer.concat([MADE_HEAD, deflateRawSync(text), sums])
}

/** Returns whether an index that starts with these bytes was written by writeCrai. */
export const isMadeCrai = (head: Uint8Array): boolean =>
  MADE_HEAD.every((byte, i) => head[i] === byte)

/** Number of bytes that isMadeCrai needs. */
export const MADE_CRAI_BYTES: number = MADE_HEAD.length

/** Reads consecutive numbers of 7 to 64 bits. */
class Numbers {
  readonly #bytes: Uint8Array
  offset = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  byte(): number {
    const byte = this.#bytes[this.offset]
    if (byte === undefined) throw new FormatError('header is cut off')
    this.offset++
    return byte
  }

  int32(): number {
    return this.byte() | (this.byte() << 8) | (this.byte() << 16) | (this.byte() << 24)
  }

  /** Reads an ITF8 integer. Leading 1 bits count the further bytes. A fifth byte has only four bits. */
  itf8(): number {
    const first = this.byte()
    if (first < 0x80) return first
    if (first < 0xc0) return ((first & 0x3f) << 8) | this.byte()
    if (first < 0xe0) return ((first & 0x1f) << 16) | (this.byte() << 8) | this.byte()
    const rest = (this.byte() << 16) | (this.byte() << 8) | this.byte()
    if (first < 0xf0) return ((first & 0x0f) << 24) | rest
    return ((first & 0x0f) << 28) | (rest << 4) | (this.byte() & 0x0f)
  }

  /** Skips an LTF8 integer. */
  ltf8(): void {
    const first = this.byte()
    const behind = Math.clz32(~(first << 24))
    for (let i = 0; i < Math.min(behind, 8); i++) this.byte()
  }
}
