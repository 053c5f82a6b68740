import { grown } from '../../shared/arrays/growing.ts'
import type { WithSource } from '../../shared/blobs/blob.ts'
import { damage } from '../../shared/blobs/source.ts'
import type { SliceableFormat } from '../../shared/catalogue/files.ts'
import { EngineError } from '../../shared/errors.ts'
import type { Job, Scratch } from '../../shared/executor.ts'
import {
  type BamHeader,
  isBam,
  MAX_HEADER_BYTES,
  oddLine,
  parseHeader,
  referenceCount,
  sortOrder,
} from '../../shared/formats/bam.ts'
import { isBcf, parseBcfHeader } from '../../shared/formats/bcf.ts'
import { MAX_BLOCK_BYTES, WRITE_BLOCK_BYTES } from '../../shared/formats/bgzf.ts'
import { BlockReader, LONG_WINDOW_BYTES } from './block-reader.ts'
import { Recompressor } from './recompressor.ts'
import type { RecordFormat } from './records/record-format.ts'

export interface AlignmentHeader {
  readonly fileFormat: SliceableFormat
  readonly format: RecordFormat
  readonly names: readonly string[]
  /** Lengths of the references. Only for BAM. */
  readonly lengths: Uint32Array
  /** Sort order stated in the header, if any. */
  readonly sortOrder: string | undefined
  /** Reason for which htslib refuses the header, if any. */
  readonly flaw?: string | undefined
  /** The header as compressed blocks. The file's own blocks are used if they contain nothing else. */
  readonly packed: Uint8Array<ArrayBuffer>
  /** File offset of the block in which the first record starts. */
  readonly firstBlock: number
  /** Offset of the first record in the inflated bytes of that block. */
  readonly firstInner: number
}

type Parsed = Omit<AlignmentHeader, 'packed' | 'firstBlock' | 'firstInner'> & {
  readonly byteLength: number
}

/**
 * Reads the header of a BAM or BCF file and prepares the first bytes of every slice. Returns undefined for other
 * files.
 */
export const headerJob: Job<WithSource, AlignmentHeader | undefined> = {
  name: 'slicing.header',
  transfer: (header) => (header ? [header.packed.buffer] : []),
  run({ source }, scratch) {
    const compressed: Uint8Array[] = []
    const reader = new BlockReader(source, scratch.bytes('window', LONG_WINDOW_BYTES), {
      observe: (block, bytes) => {
        if (block.bytes.length > 0) compressed.push(Uint8Array.from(bytes))
      },
    })
    let inflated = new Uint8Array(MAX_BLOCK_BYTES)
    let have = 0
    let needed = 0
    for (let next = 0; ; ) {
      const block = reader.from(next)
      // A file of lines may be empty.
      if (!block && have === 0) return undefined
      if (!block) throw damage('header is cut off; the file ends', source.size)
      const length = have + block.bytes.length
      if (length > inflated.length) inflated = grown(inflated, length)
      inflated.set(block.bytes, have)
      have = length
      next = block.next
      if (have < needed) continue
      const bytes = inflated.subarray(0, have)
      if (have >= MAGIC_BYTES && !isBam(bytes) && !isBcf(bytes)) return undefined
      const header = parse(bytes)
      if (typeof header === 'number') {
        needed = header
        continue
      }
      const { byteLength, ...facts } = header
      const behind = have - byteLength
      const last = block.bytes.subarray(0, block.bytes.length - behind)
      return {
        ...facts,
        packed: packHeader(compressed, behind === 0 ? undefined : last, scratch),
        firstBlock: behind === 0 ? next : block.offset,
        firstInner: behind === 0 ? 0 : last.length,
      }
    }
  },
}

const MAGIC_BYTES = 4

function parse(bytes: Uint8Array): Parsed | number {
  if (isBam(bytes)) mustBeFew(referenceCount(bytes) ?? 0)
  const header = parsed(bytes)
  if (typeof header === 'number' && header > MAX_HEADER_BYTES) {
    const message = `its header has ${header} bytes or more; at most ${MAX_HEADER_BYTES} are read`
    throw new EngineError('too_large', message)
  }
  return header
}

function parsed(bytes: Uint8Array): Parsed | number {
  try {
    return isBcf(bytes) ? parseBcf(bytes) : parseBam(bytes)
  } catch (cause) {
    throw damage('header', 0, cause)
  }
}

/** Largest number of references. Each takes about 450 bytes of memory during an import. */
const MAX_REFERENCES = 5_000_000

/**
 * Refuses more references than memory is reckoned for.
 * @throws EngineError too_large for more than MAX_REFERENCES
 */
export function mustBeFew(references: number): void {
  if (references <= MAX_REFERENCES) return
  const message = `its header lists ${references} references; at most ${MAX_REFERENCES} are read, so leave out those without records`
  throw new EngineError('too_large', message)
}

function parseBam(bytes: Uint8Array): Parsed | number {
  const header = parseHeader(bytes)
  if (typeof header === 'number') return header
  const { names, lengths, byteLength } = header
  return {
    fileFormat: 'BAM',
    format: { kind: 'BAM' },
    names,
    lengths,
    byteLength,
    sortOrder: sortOrder(header),
    flaw: flawOf(header),
  }
}

function flawOf(header: BamHeader): string | undefined {
  const number = oddLine(header)
  return number === undefined ? undefined : `line ${number} of its header does not begin with @`
}

function parseBcf(bytes: Uint8Array): Parsed | number {
  const header = parseBcfHeader(bytes)
  if (typeof header === 'number') return header
  const { names, samples, known, byteLength } = header
  const format = { kind: 'BCF', samples, known } as const
  const minor = bytes[4] ?? 0
  const flaw = minor === 2 ? header.flaw : `it is BCF 2.${minor}, and only BCF 2.2 is read`
  return {
    fileFormat: 'BCF',
    format,
    names,
    lengths: new Uint32Array(0),
    byteLength,
    sortOrder: 'coordinate',
    flaw,
  }
}

/**
 * Returns the blocks of a header.
 * @param compressed all blocks with a part of the header
 * @param last the header's part of the last block, if the block has more
 */
export function packHeader(
  compressed: readonly Uint8Array[],
  last: Uint8Array | undefined,
  scratch: Scratch,
): Uint8Array<ArrayBuffer> {
  if (last === undefined) return join(compressed)
  return join([...compressed.slice(0, -1), repack(last, scratch)])
}

function repack(bytes: Uint8Array, scratch: Scratch): Uint8Array {
  const out = new Recompressor(scratch.bytes('pending', WRITE_BLOCK_BYTES))
  out.add(bytes)
  return out.finish(new Uint8Array(0))
}

function join(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(Buffer.concat(parts))
}
