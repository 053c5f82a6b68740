import { crc32, deflateRawSync } from 'node:zlib'
import { FormatError } from './format-error.ts'

// CRAM 3.0 and 3.1, their specification sections 2 (integers), 6 (file definition), 7 (containers), 8
// (blocks) and 9 (end of file). A file is a series of containers, each with blocks; all that is read here
// is how long they are, what they are about and their checksums.

/** Bytes of the file definition, behind which the first container begins. */
export const DEFINITION_BYTES = 26

/** The container that says that a file is complete (section 9). */
export const CRAM_END: Uint8Array = Uint8Array.of(
  ...[0x0f, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0x0f, 0xe0, 0x45, 0x4f, 0x46, 0, 0, 0, 0, 1, 0],
  ...[0x05, 0xbd, 0xd9, 0x4f, 0, 1, 0, 0x06, 0x06, 1, 0, 1, 0, 1, 0, 0xee, 0x63, 0x01, 0x4b],
)

/** @throws FormatError when the bytes are no file definition of a version that is read */
export function checkDefinition(bytes: Uint8Array): void {
  const magic = String.fromCharCode(...bytes.subarray(0, 4))
  if (magic !== 'CRAM' || bytes.length < DEFINITION_BYTES) throw new FormatError('file is not CRAM')
  if (bytes[4] !== 3)
    throw new FormatError(`CRAM ${bytes[4]}.${bytes[5]} is not read, 3.0 and 3.1 are`)
}

export interface ContainerHeader {
  /** Bytes of the header itself, of the blocks behind it, and the count of these. */
  readonly headerBytes: number
  readonly blockBytes: number
  readonly blocks: number
  /** Number of the reference, -1 without one, -2 for several. */
  readonly reference: number
  /** 1-based, and how many bases its records cover, of a container of one reference. */
  readonly start: number
  readonly span: number
  readonly records: number
  /** Where its slices begin, from the end of the header on. */
  readonly landmarks: readonly number[]
  /** Bytes that the header's checksum is of, and it. */
  readonly checkedBytes: number
  readonly checksum: number
}

/**
 * The header of the container that starts at the first byte.
 * @throws FormatError when the bytes end before it does, or it is impossible
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

export interface BlockHeader {
  /** 0 raw, 1 gzip; others are not unpacked here. */
  readonly method: number
  /** What is in it: 2 is the header of a slice. */
  readonly content: number
  readonly headerBytes: number
  readonly dataBytes: number
  /** Of the data once it is unpacked. */
  readonly rawBytes: number
}

/** Bytes that a block's checksum takes, behind its data. */
export const CHECKSUM_BYTES = 4
/** The most that a block's header takes. */
export const BLOCK_HEADER_MOST = 17

/** @throws FormatError as parseContainer */
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

/** What a container's or slice's header has for a reference where its records are of several. */
export const SEVERAL_REFERENCES = -2
export const SLICE_HEADER = 2

export interface SliceHeader {
  /** As those of a container. */
  readonly reference: number
  readonly start: number
  readonly span: number
  readonly records: number
}

/**
 * The data of a slice header's block, once it is unpacked.
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

/** A line of an index: where a slice of a container is, and what of a reference its records cover. */
export interface CraiLine {
  /** -1 for records without a place. */
  readonly reference: number
  /** 1-based. */
  readonly start: number
  readonly span: number
  /** File offset of the container. */
  readonly container: number
  /** Where in the container, from the end of its header on, the slice begins, and how long it is. */
  readonly landmark: number
  readonly bytes: number
}

/** @throws FormatError when a line is none of an index */
export function parseCrai(text: string): CraiLine[] {
  return text.split('\n').flatMap((line, i) => {
    if (line === '') return []
    const numbers = line.split('\t').map(Number)
    const [reference = -2, start = 0, span = 0, container = -1, landmark = -1, bytes = -1] = numbers
    const isWhole = numbers.length === 6 && numbers.every(Number.isSafeInteger)
    if (!isWhole || reference < -1 || container < 0 || landmark < 0 || bytes < 0) {
      throw new FormatError(`line ${i + 1} of the index is none of CRAI`)
    }
    return [{ reference, start, span, container, landmark, bytes }]
  })
}

/**
 * Gzip as RFC 1952 2.3 has it, with a comment: it tells an index that was made here from one that was brought
 * to an earlier version, and every reader skips it.
 */
const MADE_HEAD: Uint8Array = Buffer.from('\x1f\x8b\x08\x10\0\0\0\0\0\xffcasemill\0', 'latin1')

/** The bytes of an index, its lines as `samtools index` prints them. */
export function writeCrai(lines: readonly CraiLine[]): Uint8Array<ArrayBuffer> {
  const text = Buffer.from(
    lines
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

/** Whether an index that begins so was written by writeCrai. */
export const isMadeCrai = (head: Uint8Array): boolean =>
  MADE_HEAD.every((byte, i) => head[i] === byte)

/** As many bytes of an index as isMadeCrai looks at. */
export const MADE_CRAI_BYTES: number = MADE_HEAD.length

/** Numbers of 7 to 64 bits, one after the other. */
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

  /** As many bits lead as there are bytes behind; of the fifth, four bits count. */
  itf8(): number {
    const first = this.byte()
    if (first < 0x80) return first
    if (first < 0xc0) return ((first & 0x3f) << 8) | this.byte()
    if (first < 0xe0) return ((first & 0x1f) << 16) | (this.byte() << 8) | this.byte()
    const rest = (this.byte() << 16) | (this.byte() << 8) | this.byte()
    if (first < 0xf0) return ((first & 0x0f) << 24) | rest
    return ((first & 0x0f) << 28) | (rest << 4) | (this.byte() & 0x0f)
  }

  /** Its value is of no use here. */
  ltf8(): void {
    const first = this.byte()
    const behind = Math.clz32(~(first << 24))
    for (let i = 0; i < Math.min(behind, 8); i++) this.byte()
  }
}
