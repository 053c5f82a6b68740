import { openAlignment } from '../../../engine/commons/slicing/alignment.ts'
import { indexJob } from '../../../engine/commons/slicing/index-file.ts'
import { type AlignmentPaths, localAlignment } from '../../../engine/commons/slicing/parts.ts'
import { inlineExecutor } from '../../../engine/shared/executor.ts'
import { type BinIndex, floorAt, referenceBegin } from '../../../engine/shared/formats/bam-index.ts'
import { END_MARKER } from '../../../engine/shared/formats/bgzf.ts'
import type { NamedInterval } from '../../../engine/shared/input/region.ts'

// What a server of htsget names that knows of a file no more than its BAI or CSI: the chunks of all bins
// that overlap a region (SAM specification, section 5.3), as whole blocks. They hold all records of
// the region, and others.

export interface ByteRange {
  readonly start: number
  end: number
}

/** A file of which the index is known, its references by name, and its length. */
interface IndexedFile {
  readonly index: BinIndex
  readonly numberOf: ReadonlyMap<string, number>
  readonly bytes: number
}

export async function openIndexed(paths: AlignmentPaths): Promise<IndexedFile> {
  const { blob, numberOf } = await openAlignment(localAlignment(paths), inlineExecutor)
  await blob.close()
  const index = await inlineExecutor.run(indexJob, { path: paths.indexPath! })
  return { index, numberOf, bytes: blob.identity.size }
}

type Chunk = readonly [begin: bigint, end: bigint]

const BEHIND_ALL = 2n ** 64n - 1n

const blockOf = (offset: bigint) => Number(offset >> 16n)

/** Gives the ranges of any regions: the header, then what overlaps; the end marker is in none of them. */
export function rangesByIndex({ index, numberOf, bytes }: IndexedFile) {
  const blocks = Float64Array.from(index.chunks, blockOf).sort()
  const last = bytes - END_MARKER.length
  /** An index knows where some blocks begin, and where none ends. */
  const endOf = (offset: bigint) => {
    const block = blockOf(offset)
    if ((offset & 0xffffn) === 0n) return block
    return blocks[lowerBound(blocks, 0, blocks.length, block + 1)] ?? last
  }
  const header: Chunk = [0n, firstRecord(index)]
  return (intervals: readonly NamedInterval[]): ByteRange[] => {
    const chunks = intervals.flatMap(({ reference, start, end }) =>
      chunksOver(index, { reference: numberOf.get(reference)!, start, end }),
    )
    chunks.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    const ranges: ByteRange[] = []
    for (const [begin, end] of [header, ...chunks]) {
      const range = { start: blockOf(begin), end: Math.min(endOf(end), last) }
      const before = ranges.at(-1)
      if (before && range.start <= before.end) before.end = Math.max(before.end, range.end)
      else ranges.push(range)
    }
    return ranges
  }
}

function firstRecord(index: BinIndex): bigint {
  const begins = Array.from({ length: index.referenceCount }, (_, i) => referenceBegin(index, i))
  const known = begins.filter((begin) => begin !== undefined)
  return known.reduce((a, b) => (a < b ? a : b))
}

/**
 * Chunks of the bins that overlap, without what comes before any record reaches the region, and without
 * what comes when all start behind it: both as htslib leaves them out.
 */
function chunksOver(
  index: BinIndex,
  {
    reference,
    start,
    end,
  }: { readonly reference: number; readonly start: number; readonly end: number },
): Chunk[] {
  const { minShift, depth, binStart, binId, chunkStart, chunks } = index
  const floor = floorAt(index, reference, start)
  const limit = Math.min(end, 2 ** (minShift + 3 * depth))
  const bound = boundAt(index, reference, limit)
  const found: Chunk[] = []
  for (let level = 0; level <= depth; level++) {
    const first = (8 ** level - 1) / 7
    const span = 2 ** (minShift + 3 * (depth - level))
    const lastBin = first + Math.floor((limit - 1) / span)
    const stop = binStart[reference + 1]!
    let bin = lowerBound(binId, binStart[reference]!, stop, first + Math.floor(start / span))
    for (; bin < stop && binId[bin]! <= lastBin; bin++) {
      for (let chunk = chunkStart[bin]!; chunk < chunkStart[bin + 1]!; chunk++) {
        const [begin, chunkEnd] = [chunks[2 * chunk]!, chunks[2 * chunk + 1]!]
        if (chunkEnd <= floor || begin >= bound) continue
        found.push([begin > floor ? begin : floor, chunkEnd < bound ? chunkEnd : bound])
      }
    }
  }
  return found
}

/** Where the next bin right of a position begins: what comes from there on starts right of it, too. */
function boundAt(
  { minShift, depth, binStart, binId, chunkStart, chunks }: BinIndex,
  reference: number,
  position: number,
): bigint {
  const [low, high] = [binStart[reference]!, binStart[reference + 1]!]
  let id = (8 ** depth - 1) / 7 + Math.floor((position - 1) / 2 ** minShift) + 1
  for (;;) {
    // A bin that is the first in its parent starts where the parent starts.
    while (id % 8 === 1) id = (id - 1) / 8
    if (id === 0) return BEHIND_ALL
    const bin = lowerBound(binId, low, high, id)
    if (binId[bin] === id && bin < high && chunkStart[bin]! < chunkStart[bin + 1]!)
      return chunks[2 * chunkStart[bin]!]!
    id++
  }
}

/** The first place from `low` on whose value is not below that one; `high` where there is none. */
function lowerBound(
  values: Float64Array | Uint32Array,
  low: number,
  high: number,
  value: number,
): number {
  while (low < high) {
    const middle = (low + high) >>> 1
    if (values[middle]! < value) low = middle + 1
    else high = middle
  }
  return low
}
