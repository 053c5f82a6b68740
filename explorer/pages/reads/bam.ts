/** A reference sequence in the header of an alignment file. */
export interface Reference {
  readonly name: string
  readonly length: number
}

/** An aligned read. Positions are 1-based and inclusive. */
export interface AlignedRead {
  readonly name: string
  readonly flags: number
  readonly reference: number
  readonly start: number
  readonly end: number
  readonly quality: number
  readonly cigar: string
  /** Intervals covered on the reference, 1-based and inclusive. */
  readonly covered: readonly (readonly [start: number, end: number])[]
}

export interface Bam {
  readonly references: readonly Reference[]
  readonly reads: readonly AlignedRead[]
}

/** Header size of a BGZF block, which contains the length of the block. */
const BLOCK_HEADER_BYTES = 18
const MAGIC = 0x014d4142
/** Bytes before the name of a record. */
const FIXED_BYTES = 36
const OPERATIONS = 'MIDNSHP=X'

/**
 * Parses the references and reads of a slice. A slice without regions has no reads.
 * @throws Error if the bytes are not a BAM file
 * @see https://samtools.github.io/hts-specs/SAMv1.pdf section 4
 */
export async function readBam(bam: Uint8Array<ArrayBuffer>): Promise<Bam> {
  const bytes = await unpacked(bam)
  const view = new DataView(bytes.buffer)
  if (bytes.length < 12 || view.getUint32(0, true) !== MAGIC)
    throw new Error('this is not a BAM file')
  let at = 8 + view.getUint32(4, true)
  const count = view.getUint32(at, true)
  at += 4
  const references: Reference[] = []
  for (let number = 0; number < count; number++) {
    const letters = view.getUint32(at, true)
    const name = textOf(bytes, at + 4, letters)
    references.push({ name, length: view.getUint32(at + 4 + letters, true) })
    at += 8 + letters
  }
  const reads: AlignedRead[] = []
  while (at + FIXED_BYTES <= bytes.length) {
    const read = readAt(bytes, view, at)
    if (read) reads.push(read)
    at += 4 + view.getUint32(at, true)
  }
  return { references, reads }
}

/** Returns a mapped read, or undefined for an unmapped one. */
function readAt(bytes: Uint8Array, view: DataView, at: number): AlignedRead | undefined {
  const flags = view.getUint16(at + 18, true)
  const reference = view.getInt32(at + 4, true)
  const operations = view.getUint16(at + 16, true)
  if (flags & UNMAPPED || reference < 0 || operations === 0) return undefined
  const start = view.getInt32(at + 8, true) + 1
  const letters = view.getUint8(at + 12)
  const covered: [number, number][] = []
  let place = start
  let cigar = ''
  for (let index = 0; index < operations; index++) {
    const packed = view.getUint32(at + FIXED_BYTES + letters + 4 * index, true)
    const [length, operation] = [packed >>> 4, OPERATIONS[packed & 15] ?? '?']
    cigar += `${length}${operation}`
    if ('M=X'.includes(operation)) covered.push([place, place + length - 1])
    if ('M=XDN'.includes(operation)) place += length
  }
  return {
    name: textOf(bytes, at + FIXED_BYTES, letters),
    flags,
    reference,
    start,
    end: place - 1,
    quality: view.getUint8(at + 13),
    cigar,
    covered,
  }
}

const UNMAPPED = 0x4

/** Decodes a text that ends with NUL. */
const textOf = (bytes: Uint8Array, start: number, length: number) =>
  new TextDecoder().decode(bytes.subarray(start, start + length - 1))

/** Decompresses block by block, because browsers handle only one gzip member at a time. */
async function unpacked(bam: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const blocks: Promise<ArrayBuffer>[] = []
  const view = new DataView(bam.buffer, bam.byteOffset, bam.byteLength)
  for (let start = 0; start + BLOCK_HEADER_BYTES <= bam.length; ) {
    const end = start + 1 + view.getUint16(start + 16, true)
    const block = new Blob([bam.subarray(start, end)])
    const stream = block.stream().pipeThrough(new DecompressionStream('gzip'))
    blocks.push(new Response(stream).arrayBuffer())
    start = end
  }
  return new Uint8Array(await new Blob(await Promise.all(blocks)).arrayBuffer())
}
