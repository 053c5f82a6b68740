import { type LocalSource, readFully } from '../../../shared/blobs/source.ts'
import { EngineError } from '../../../shared/errors.ts'
import type { Job } from '../../../shared/executor.ts'
import { EXTENT_CELLS } from './number-block.ts'
import { BlockWriter, type PackedBlocks } from './packed-blocks.ts'
import { ENTRY_BYTES } from './spill.ts'

interface PackGroupInput {
  /** Temporary file of sorted entries, and the half-open range of the group in it. */
  readonly source: LocalSource
  readonly start: number
  readonly end: number
  /** Range of the genes of the group, half-open. */
  readonly firstRow: number
  readonly endRow: number
  readonly cells: number
}

/** Encodes the entries of a group of genes as blocks, one for each gene and range of cells. */
export const packGroupJob: Job<PackGroupInput, PackedBlocks> = {
  name: 'single-cell.pack-group',
  run({ source, start, end, firstRow, endRow, cells }, scratch) {
    const count = end - start
    const bytes = new Uint8Array(ENTRY_BYTES * count)
    if (readFully(source, bytes, ENTRY_BYTES * start) < bytes.length) {
      throw new EngineError('unavailable', 'entries of genes were removed while they were sorted')
    }
    const places = new Uint32Array(bytes.buffer)
    const numbers = new Float64Array(bytes.buffer)
    const entries = byGene(places, count, { firstRow, endRow })
    const extents = Math.ceil(cells / EXTENT_CELLS)
    const blocks = new BlockWriter((endRow - firstRow) * extents, scratch)
    const [listedPlaces, listedNumbers] = [
      new Uint16Array(EXTENT_CELLS),
      new Float64Array(EXTENT_CELLS),
    ]
    let next = 0
    for (let row = firstRow; row < endRow; row++) {
      for (let from = 0; from < cells; from += EXTENT_CELLS) {
        const width = Math.min(EXTENT_CELLS, cells - from)
        let listed = 0
        while (next < count) {
          const first = entries[next]!
          const cell = places[4 * first + 1]!
          if (places[4 * first] !== row || cell >= from + width) break
          let sum = 0
          // Values of duplicate entries are added.
          for (; next < count; next++) {
            const entry = entries[next]!
            if (places[4 * entry] !== row || places[4 * entry + 1] !== cell) break
            sum += numbers[2 * entry + 1]!
          }
          if (sum === 0) continue
          listedPlaces[listed] = cell - from
          listedNumbers[listed++] = sum
        }
        const list = { places: listedPlaces, numbers: listedNumbers, count: listed }
        blocks.addListed(list, width)
      }
    }
    return blocks.finish()
  },
  transfer: ({ bytes }) => [bytes.buffer],
}

/** Sorts entries by gene. Entries of the same gene stay in order of cells. */
function byGene(
  places: Uint32Array,
  count: number,
  { firstRow, endRow }: { readonly firstRow: number; readonly endRow: number },
): Uint32Array {
  const next = new Uint32Array(endRow - firstRow + 1)
  for (let i = 0; i < count; i++) {
    const gene = places[4 * i]! - firstRow
    next[gene + 1] = next[gene + 1]! + 1
  }
  for (let gene = 1; gene < next.length; gene++) {
    next[gene] = next[gene]! + next[gene - 1]!
  }
  const entries = new Uint32Array(count)
  for (let i = 0; i < count; i++) {
    const gene = places[4 * i]! - firstRow
    const at = next[gene]!
    entries[at] = i
    next[gene] = at + 1
  }
  return entries
}
