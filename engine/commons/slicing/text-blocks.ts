import { open, stat } from 'node:fs/promises'
import { MAX_BAI_BASES } from '../../shared/formats/bam-index-writer.ts'
import { blockFrame, inflateBlock, MAX_BLOCK_BYTES } from '../../shared/formats/bgzf.ts'
import { FormatError } from '../../shared/formats/format-error.ts'
import {
  type LineLayout,
  type LinePlace,
  type LineRule,
  placeLine,
} from '../../shared/formats/tabix.ts'

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
/** Maximum number of first bytes of a line that are kept for parsing. The columns of positions come first. */
const MOST_KEPT = 1 << 20
const NEWLINE = 10

/**
 * State of a file's lines. Sorted and within the limits of a TBI, of a CSI as tabix makes it, or of neither; or
 * not sorted.
 */
export type LinesFound = 'plain' | 'far' | 'farther' | 'unsorted'

/** Looks at the positions of all lines. Returns undefined if the file is large. */
export async function lookAtLines(
  path: string,
  layout: LineLayout,
): Promise<LinesFound | undefined> {
  if ((await stat(path)).size > MOST_READ) return undefined
  const order = new LineOrder(layout)
  let begun: Uint8Array = Buffer.alloc(0)
  try {
    for await (const { bytes } of textBlocks(path)) {
      const text = begun.length > 0 ? Buffer.concat([begun, bytes]) : bytes
      let from = 0
      for (let to = text.indexOf(NEWLINE); to >= 0; to = text.indexOf(NEWLINE, from)) {
        order.add(text, from, to)
        from = to + 1
      }
      begun = text.slice(from, from + MOST_KEPT)
    }
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
  }
  order.add(begun, 0, begun.length)
  if (!order.isSorted) return 'unsorted'
  if (order.reach > MAX_CSI_BASES) return 'farther'
  return order.reach > MAX_BAI_BASES ? 'far' : 'plain'
}

/** Reach of a CSI with the parameters of `tabix -C`, if the header declares no longer contigs. */
const MAX_CSI_BASES = 2 ** 32

/** Order and extent of lines. Lines that have no position do not count. */
class LineOrder {
  readonly #rule: LineRule
  readonly #place: LinePlace = { nameFrom: 0, nameTo: 0, start: 0, end: 0 }
  readonly #left = new Set<string>()
  #name = ''
  #start = -1
  /** Greatest end of the lines so far. */
  reach = 0
  isSorted = true

  constructor(layout: LineLayout) {
    this.#rule = { layout, hasEnd: true }
  }

  add(text: Uint8Array, from: number, to: number): void {
    const place = this.#place
    try {
      placeLine(text, from, to, this.#rule, place)
    } catch (error) {
      if (error instanceof FormatError) return
      throw error
    }
    const { start, end, nameFrom, nameTo } = place
    const name = Buffer.from(text.buffer, text.byteOffset + nameFrom, nameTo - nameFrom).toString()
    if (name !== this.#name) {
      this.#left.add(this.#name)
      this.#name = name
      this.#start = -1
      if (this.#left.has(name)) this.isSorted = false
    }
    if (start < this.#start) this.isSorted = false
    this.#start = start
    this.reach = Math.max(this.reach, end, this.#statedEnd(text, from, to))
  }

  /** Returns INFO/END of a VCF record as tabix indexes it, even if bcftools treats it as missing. */
  #statedEnd(text: Uint8Array, from: number, to: number): number {
    if (this.#rule.layout.preset !== 'VCF') return 0
    const line = Buffer.from(text.buffer, text.byteOffset + from, to - from).toString('latin1')
    return Number(/[\t;]END=\+?([1-9]\d*)/.exec(line)?.[1] ?? 0)
  }
}
