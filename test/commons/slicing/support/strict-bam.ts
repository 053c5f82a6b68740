import { crc32, inflateRawSync, type Zlib } from 'node:zlib'

// A strict, slow reader of whole BAM files in memory, written from the SAM specification alone: it
// shares no code with the engine, so that one mistake cannot hide the other.

export interface StrictBlock {
  readonly offset: number
  readonly length: number
  readonly content: Buffer
}

/** The block that ends a BAM file (SAM specification, 4.1.2). */
export const MARKER = Buffer.from('1f8b08040000000000ff0600424302001b0003000000000000000000', 'hex')

const HEAD_BYTES = 18
const FOOT_BYTES = 8

/** Verified blocks of a file. The same bytes need not be verified again. */
export class ProvedBlocks {
  readonly #byChecksum = new Map<number, { readonly packed: Buffer; readonly content: Buffer }>()

  constructor(file: Buffer) {
    for (const { offset, length, content } of splitBlocks(file)) {
      const packed = file.subarray(offset, offset + length)
      this.#byChecksum.set(crc32(packed), { packed, content })
    }
  }

  contentOf(packed: Buffer): Buffer | undefined {
    const proved = this.#byChecksum.get(crc32(packed))
    return proved?.packed.equals(packed) ? proved.content : undefined
  }
}

/** Verifies and lists all blocks of a BGZF file. Throws at the first invalid byte. */
export function splitBlocks(bytes: Buffer, proved?: ProvedBlocks): StrictBlock[] {
  const blocks: StrictBlock[] = []
  for (let offset = 0; offset < bytes.length; ) {
    const block = blockAt(bytes, offset, proved)
    blocks.push(block)
    offset += block.length
  }
  return blocks
}

function blockAt(bytes: Buffer, offset: number, proved?: ProvedBlocks): StrictBlock {
  const wrong = (what: string) => new Error(`block at ${offset}: ${what}`)
  if (bytes.length - offset < HEAD_BYTES + FOOT_BYTES) throw wrong('cut off')
  if (bytes.readUInt32BE(offset) !== 0x1f8b0804) throw wrong('no gzip magic')
  const extraEnd = offset + 12 + bytes.readUInt16LE(offset + 10)
  let length = 0
  for (let at = offset + 12; at < extraEnd; at += 4 + bytes.readUInt16LE(at + 2)) {
    if (bytes.toString('latin1', at, at + 2) === 'BC') length = bytes.readUInt16LE(at + 4) + 1
  }
  if (length === 0) throw wrong('no BC field')
  const end = offset + length
  if (end > bytes.length) throw wrong('cut off')
  const known = proved?.contentOf(bytes.subarray(offset, end))
  if (known) return { offset, length, content: known }
  const packed = bytes.subarray(extraEnd, end - FOOT_BYTES)
  // Node's types do not describe the effect of `info`.
  const { buffer, engine } = inflateRawSync(packed, { info: true }) as unknown as {
    buffer: Buffer
    engine: Zlib
  }
  if (engine.bytesWritten !== packed.length) throw wrong('bytes behind its deflate stream')
  if (buffer.length !== bytes.readUInt32LE(end - 4)) throw wrong('wrong ISIZE')
  if (buffer.length > 65536) throw wrong('too large')
  if (crc32(buffer) !== bytes.readUInt32LE(end - 8)) throw wrong('wrong CRC32')
  return { offset, length, content: buffer }
}

export interface StrictRecord {
  /**
   * Offsets in the inflated file: the first byte, which is that of block_size, and the first byte after the
   * record.
   */
  readonly from: number
  readonly to: number
  readonly reference: number
  /** 0-based half-open, as by htslib's bam_endpos. */
  readonly start: number
  readonly end: number
}

export interface StrictBam {
  readonly inflated: Buffer
  readonly headerLength: number
  readonly references: readonly { readonly name: string; readonly length: number }[]
  readonly records: readonly StrictRecord[]
}

/** Inflates every block; empty blocks and a missing end marker are accepted. */
export function inflateAll(bytes: Buffer, proved?: ProvedBlocks): Buffer {
  return Buffer.concat(splitBlocks(bytes, proved).map(({ content }) => content))
}

export function readBam(inflated: Buffer): StrictBam {
  if (inflated.toString('latin1', 0, 4) !== 'BAM\x01') throw new Error('no BAM magic')
  let at = 8 + inflated.readInt32LE(4)
  const count = inflated.readInt32LE(at)
  at += 4
  const references: { name: string; length: number }[] = []
  for (let i = 0; i < count; i++) {
    const nameEnd = at + 4 + inflated.readInt32LE(at)
    const name = inflated.toString('latin1', at + 4, nameEnd - 1)
    references.push({ name, length: inflated.readInt32LE(nameEnd) })
    at = nameEnd + 4
  }
  return { inflated, headerLength: at, references, records: readRecords(inflated, at) }
}

function readRecords(inflated: Buffer, first: number): StrictRecord[] {
  const records: StrictRecord[] = []
  for (let at = first; at < inflated.length; ) {
    const to = at + 4 + inflated.readInt32LE(at)
    if (to > inflated.length || to < at + 36) throw new Error(`record at ${at} is cut off`)
    records.push({
      from: at,
      to,
      reference: inflated.readInt32LE(at + 4),
      start: inflated.readInt32LE(at + 8),
      end: endOf(inflated, at),
    })
    at = to
  }
  return records
}

function endOf(bytes: Buffer, at: number): number {
  const start = bytes.readInt32LE(at + 8)
  const unmapped = (bytes.readUInt16LE(at + 18) & 4) !== 0
  const cigar = at + 36 + bytes.readUInt8(at + 12)
  let covered = 0
  for (let i = 0; i < bytes.readUInt16LE(at + 16); i++) {
    const operation = bytes.readUInt32LE(cigar + 4 * i)
    if ('MDN=X'.includes('MIDNSHP=X'.charAt(operation & 15))) covered += operation >>> 4
  }
  return start + (unmapped || covered === 0 ? 1 : covered)
}
