import { constants, gunzipSync } from 'node:zlib'
import { blockFrame, inflateBlock, MAX_BLOCK_BYTES } from '../../shared/formats/bgzf.ts'

/** Kinds of files that are mistaken for BAM. */
export type FileKind =
  | 'empty'
  | 'CRAM'
  | 'SAM'
  | 'gzipped SAM'
  | 'gzip, but not BGZF'
  | 'gzip of something else'
  | 'BAM without its compression'
  | 'an index'
  | 'VCF'
  | 'BCF'
  | 'FASTQ'
  | 'FASTA'
  | 'text'
  | 'something else'

/** Bytes from the start of a file from which its kind is recognised. */
export const KIND_BYTES = MAX_BLOCK_BYTES

/**
 * Returns the kind of a file from its first bytes. Returns undefined for a BAM file, even if it is damaged or
 * truncated.
 * @param start the first KIND_BYTES, or all bytes of a shorter file
 */
export function kindOf(start: Uint8Array): FileKind | undefined {
  const bytes = Buffer.from(start.buffer, start.byteOffset, start.byteLength)
  if (bytes.length === 0) return 'empty'
  if (!beginsWith(bytes, '\x1f\x8b')) return kindOfPlain(bytes)
  const inner = unpacked(bytes)
  // The first block is empty, or not even complete.
  if (inner === undefined || (inner.isBlocked && inner.bytes.length === 0)) return undefined
  const kind = kindOfPlain(inner.bytes)
  if (kind === 'BAM without its compression') {
    return inner.isBlocked ? undefined : 'gzip, but not BGZF'
  }
  if (kind === 'SAM') return 'gzipped SAM'
  return kind === 'text' || kind === 'something else' ? 'gzip of something else' : kind
}

const beginsWith = (bytes: Buffer, text: string) =>
  bytes.subarray(0, text.length).toString('latin1') === text

const SIGNATURES: readonly (readonly [start: string, kind: FileKind])[] = [
  ['CRAM', 'CRAM'],
  ['BAM\x01', 'BAM without its compression'],
  ['BAI\x01', 'an index'],
  ['CSI\x01', 'an index'],
  ['TBI\x01', 'an index'],
  ['BCF', 'BCF'],
  ['##fileformat=VCF', 'VCF'],
]

/** Matches the first and third lines of FASTQ. */
const FASTQ = /^@[^\n]*\n[A-Za-z.*-]+\r?\n\+/
const SAM = /^@(HD|SQ|RG|PG|CO)\t/
/** Matches a control character other than white space. */
const CONTROL = /[^\P{Cc}\t\n\f\r]/u

function kindOfPlain(bytes: Buffer): FileKind {
  const known = SIGNATURES.find(([start]) => beginsWith(bytes, start))
  if (known) return known[1]
  const text = bytes.subarray(0, 1000).toString()
  if (SAM.test(text)) return 'SAM'
  if (FASTQ.test(text)) return 'FASTQ'
  if (text.startsWith('>')) return 'FASTA'
  return text === '' || CONTROL.test(text) ? 'something else' : 'text'
}

interface Unpacked {
  readonly bytes: Buffer
  readonly isBlocked: boolean
}

function unpacked(bytes: Buffer): Unpacked | undefined {
  try {
    const frame = blockFrame(bytes, 0, bytes.length)
    return frame && { bytes: Buffer.from(inflateBlock(bytes, frame)), isBlocked: true }
  } catch {
    return unzipped(bytes)
  }
}

/** Returns the beginning of the content of plain gzip. */
function unzipped(bytes: Buffer): Unpacked | undefined {
  // A BGZF block that does not inflate is damaged. Its content is unknown.
  if (beginsWith(bytes, '\x1f\x8b\x08\x04')) return undefined
  const start = bytes.subarray(0, UNZIPPED_BYTES)
  try {
    const inner = gunzipSync(start, { finishFlush: constants.Z_SYNC_FLUSH })
    return { bytes: inner, isBlocked: false }
  } catch {
    return { bytes: Buffer.alloc(0), isBlocked: false }
  }
}

/** Compressed bytes to inflate: enough to recognise the content, but too few to expand to a large size. */
const UNZIPPED_BYTES = 4096
