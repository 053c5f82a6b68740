import type { WithSource } from '../../shared/blobs/blob.ts'
import { damage } from '../../shared/blobs/source.ts'
import type { Job, Scratch } from '../../shared/executor.ts'
import {
  type BamHeader,
  MAX_HEADER_BYTES,
  parseHeader,
  sortOrder,
} from '../../shared/formats/bam.ts'
import { WRITE_BLOCK_BYTES } from '../../shared/formats/bgzf.ts'
import { FormatError } from '../../shared/formats/format-error.ts'
import { BlockReader, LONG_WINDOW_BYTES } from './block-reader.ts'
import { Recompressor } from './recompressor.ts'

export interface AlignmentHeader {
  readonly names: readonly string[]
  readonly lengths: Uint32Array
  /** Sort order that the header states, if it does. */
  readonly sortOrder: string | undefined
  /** The header as blocks: those of the file as far as they hold nothing else, else made anew. */
  readonly packed: Uint8Array<ArrayBuffer>
  /** Virtual offset of the first record. */
  readonly firstBlock: number
  readonly firstInner: number
}

/** Reads the header of a BAM file and makes the bytes that every slice of it starts with. */
export const headerJob: Job<WithSource, AlignmentHeader> = {
  name: 'slicing.header',
  transfer: ({ packed }) => [packed.buffer],
  run({ source }, scratch) {
    const compressed: Uint8Array[] = []
    const reader = new BlockReader(
      source,
      scratch.bytes('window', LONG_WINDOW_BYTES),
      (block, bytes) => {
        if (block.bytes.length > 0) compressed.push(Uint8Array.from(bytes))
      },
    )
    const inflated: Uint8Array[] = []
    let have = 0
    let needed = 0
    for (let next = 0; ; ) {
      const block = reader.from(next)
      if (!block) throw damage('header is cut off; the file ends', source.size)
      inflated.push(block.bytes)
      have += block.bytes.length
      next = block.next
      if (have < needed) continue
      const header = parse(Buffer.concat(inflated, have))
      if (typeof header === 'number') {
        needed = header
        continue
      }
      const behind = have - header.byteLength
      const last = block.bytes.subarray(0, block.bytes.length - behind)
      return {
        names: header.names,
        lengths: header.lengths,
        sortOrder: sortOrder(header),
        packed:
          behind === 0
            ? join(compressed)
            : join([...compressed.slice(0, -1), repack(last, scratch)]),
        firstBlock: behind === 0 ? next : block.offset,
        firstInner: behind === 0 ? 0 : last.length,
      }
    }
  },
}

function parse(bytes: Uint8Array): BamHeader | number {
  try {
    const header = parseHeader(bytes)
    if (typeof header === 'number' && header > MAX_HEADER_BYTES) {
      throw new FormatError(`header needs ${header} bytes; at most ${MAX_HEADER_BYTES} are read`)
    }
    return header
  } catch (cause) {
    throw damage('header', 0, cause)
  }
}

function repack(bytes: Uint8Array, scratch: Scratch): Uint8Array {
  const out = new Recompressor(scratch.bytes('pending', WRITE_BLOCK_BYTES))
  out.add(bytes)
  return out.finish(new Uint8Array(0))
}

function join(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(Buffer.concat(parts))
}
