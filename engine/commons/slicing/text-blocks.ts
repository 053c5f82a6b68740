import { open, stat } from 'node:fs/promises'
import { MAX_BAI_BASES } from '../../shared/formats/bam-index-writer.ts'
import { blockFrame, inflateBlock, MAX_BLOCK_BYTES } from '../../shared/formats/bgzf.ts'
import { FormatError } from '../../shared/formats/format-error.ts'
import { type LineLayout, placeLine } from '../../shared/formats/tabix.ts'

interface TextBlock {
  /** File offset of the block. */
  readonly offset: number
  readonly bytes: Uint8Array
}

/** Yields the inflated blocks of a local file, up to the first that is cut off. */
export async function* textBlocks(path: string): AsyncGenerator<TextBlock> {
  const file = await open(path)
  try {
    const packed = Buffer.alloc(MAX_BLOCK_BYTES)
    for (let offset = 0; ; ) {
      const { bytesRead } = await file.read(packed, 0, packed.length, offset)
      const frame = blockFrame(packed, 0, bytesRead)
      if (!frame) return
      yield { offset, bytes: inflateBlock(packed, frame) }
      offset += frame.end
    }
  } finally {
    await file.close()
  }
}

/** Larger files are not read to word an error: that would take longer than some seconds. */
const MOST_READ = 256 * 1024 * 1024
/** Bytes of a line that are kept for its columns of positions, which come first. */
const MOST_KEPT = 1 << 20
const NEWLINE = 10

/**
 * Returns whether a file of lines has positions that a TBI cannot address, or undefined if the file is large.
 */
export async function isBeyondTbi(path: string, layout: LineLayout): Promise<boolean | undefined> {
  if ((await stat(path)).size > MOST_READ) return undefined
  let begun: Uint8Array = Buffer.alloc(0)
  try {
    for await (const { bytes } of textBlocks(path)) {
      const text = begun.length > 0 ? Buffer.concat([begun, bytes]) : bytes
      let from = 0
      for (let to = text.indexOf(NEWLINE); to >= 0; to = text.indexOf(NEWLINE, from)) {
        if (endOf(text, from, to, layout) > MAX_BAI_BASES) return true
        from = to + 1
      }
      begun = text.slice(from, from + MOST_KEPT)
    }
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
  }
  return endOf(begun, 0, begun.length, layout) > MAX_BAI_BASES
}

/** Returns the end of a line's interval, or 0 for a line without one. */
function endOf(text: Uint8Array, from: number, to: number, layout: LineLayout): number {
  const place = { nameFrom: 0, nameTo: 0, start: 0, end: 0 }
  try {
    placeLine(text, from, to, { layout, hasEnd: true }, place)
    return place.end
  } catch (error) {
    if (error instanceof FormatError) return 0
    throw error
  }
}
