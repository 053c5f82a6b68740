import { FormatError } from './format-error.ts'
import { type IndexedLines, parseLines } from './tabix.ts'

// BAI (SAM specification section 5.2), CSI (CSIv1 specification, 2020-05) and TBI (tabix specification,
// 2020-05). All have a tree of bins for each reference. A bin has the chunks of its records, which are pairs
// of virtual offsets.

/**
 * A parsed index. All references share flat arrays. Virtual offsets are unsigned 64-bit integers (block
 * offset << 16 | offset in the block), because a double is exact only for files below 128 GiB.
 */
export interface BinIndex {
  readonly minShift: number
  readonly depth: number
  readonly referenceCount: number
  /** The bins of reference r are [binStart[r], binStart[r + 1]), in ascending order of their ids. */
  readonly binStart: Uint32Array
  readonly binId: Uint32Array
  /** CSI only: smallest offset of a record that overlaps the start of the bin. */
  readonly binFloor: BigUint64Array | undefined
  /** The chunks of bin b are [chunkStart[b], chunkStart[b + 1]), in file order. */
  readonly chunkStart: Uint32Array
  /** Begin and end of chunk c are at 2c and 2c + 1. */
  readonly chunks: BigUint64Array
  /** BAI and TBI only: the windows of reference r are [linearStart[r], linearStart[r + 1]). */
  readonly linearStart: Uint32Array
  readonly linear: BigUint64Array
  /** Columns and names, for the index of a text file. */
  readonly lines: IndexedLines | undefined
  /** Whether the file has the references in the order of their numbers. */
  readonly isAscending: boolean
}

const BAI_MAGIC = 0x01494142
const CSI_MAGIC = 0x01495343
const TBI_MAGIC = 0x01494254

/**
 * Parses a BAI, or an inflated CSI or TBI.
 * @throws FormatError if it is truncated or has impossible counts
 */
export function parseIndex(bytes: Uint8Array): BinIndex {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const need = (at: number, length: number) => {
    if (at + length > bytes.length) throw new FormatError('index ends too early')
  }
  const count = (at: number, itemBytes: number, what: string) => {
    need(at, 4)
    const n = view.getInt32(at, true)
    if (n < 0 || n * itemBytes > bytes.length - at - 4) {
      throw new FormatError(`${what} count ${n} of the index is impossible`)
    }
    return n
  }

  need(0, 8)
  const magic = view.getUint32(0, true)
  if (magic !== BAI_MAGIC && magic !== CSI_MAGIC && magic !== TBI_MAGIC)
    throw new FormatError('file is neither BAI nor CSI nor TBI')
  const csi = magic === CSI_MAGIC
  let at = 4
  let minShift = 14
  let depth = 5
  let lines: IndexedLines | undefined
  if (csi) {
    need(4, 12)
    minShift = view.getInt32(4, true)
    depth = view.getInt32(8, true)
    // Some writers make windows of 4 GiB, wider than any position.
    if (minShift < 1 || minShift > 32 || depth < 0 || depth > 10) {
      throw new FormatError(`CSI with min_shift ${minShift} and depth ${depth} is not supported`)
    }
    at = 16 + count(12, 1, 'auxiliary byte')
    lines = parseLines(bytes.subarray(16, at))?.lines
  }
  const referenceCount = count(at, csi ? 4 : 8, 'reference')
  at += 4
  if (magic === TBI_MAGIC) {
    const parsed = parseLines(bytes.subarray(at))
    if (!parsed) throw new FormatError('index ends too early')
    lines = parsed.lines
    at += parsed.byteLength
  }
  if (lines && lines.names.length !== referenceCount) {
    throw new FormatError(
      `${lines.names.length} names of ${referenceCount} references in the index`,
    )
  }
  const endOfBins = firstBin(depth + 1)
  const pseudoBin = endOfBins + 1
  const binHead = csi ? 16 : 8

  // Two passes: the first checks bounds and counts, the second fills arrays of the right size. Growing
  // arrays would be slow for an index of 100 MB.
  const body = at
  let bins = 0
  let chunkCount = 0
  let windows = 0
  for (let r = 0; r < referenceCount; r++) {
    const n = count(at, binHead, 'bin')
    at += 4
    for (let b = 0; b < n; b++) {
      need(at, binHead)
      const chunksHere = count(at + binHead - 4, 16, 'chunk')
      const id = view.getUint32(at, true)
      if (id !== pseudoBin) {
        // The records of this bin are beyond the depth of the index, where no lookup would find them.
        if (id >= endOfBins) throw new FormatError(`bin ${id} needs a CSI of greater depth`)
        bins++
        chunkCount += chunksHere
      }
      at += binHead + 16 * chunksHere
    }
    if (!csi) {
      const windowsHere = count(at, 8, 'window')
      windows += windowsHere
      at += 4 + 8 * windowsHere
    }
  }

  const binStart = new Uint32Array(referenceCount + 1)
  const binId = new Uint32Array(bins)
  const binFloor = csi ? new BigUint64Array(bins) : undefined
  const chunkStart = new Uint32Array(bins + 1)
  const chunks = new BigUint64Array(2 * chunkCount)
  const chunkBytes = new Uint8Array(chunks.buffer)
  const linearStart = new Uint32Array(referenceCount + 1)
  const linear = new BigUint64Array(windows)
  const linearBytes = new Uint8Array(linear.buffer)
  let bin = 0
  let chunk = 0
  let window = 0
  at = body
  for (let r = 0; r < referenceCount; r++) {
    const places: { id: number; at: number }[] = []
    const n = view.getInt32(at, true)
    at += 4
    for (let b = 0; b < n; b++) {
      const id = view.getUint32(at, true)
      if (id !== pseudoBin) places.push({ id, at })
      at += binHead + 16 * view.getInt32(at + binHead - 4, true)
    }
    // Files have their bins in hash order.
    places.sort((a, b) => a.id - b.id)
    for (const place of places) {
      binId[bin] = place.id
      if (binFloor) binFloor[bin] = view.getBigUint64(place.at + 4, true)
      const chunksHere = view.getInt32(place.at + binHead - 4, true)
      const from = place.at + binHead
      chunkBytes.set(bytes.subarray(from, from + 16 * chunksHere), 16 * chunk)
      chunk += chunksHere
      bin++
      chunkStart[bin] = chunk
    }
    binStart[r + 1] = bin
    if (!csi) {
      const windowsHere = view.getInt32(at, true)
      linearBytes.set(bytes.subarray(at + 4, at + 4 + 8 * windowsHere), 8 * window)
      window += windowsHere
      at += 4 + 8 * windowsHere
    }
    linearStart[r + 1] = window
  }
  const parsed = {
    minShift,
    depth,
    referenceCount,
    binStart,
    binId,
    binFloor,
    chunkStart,
    chunks,
    linearStart,
    linear,
    lines,
  }
  return { ...parsed, isAscending: isAscending({ ...parsed, isAscending: true }) }
}

function isAscending(index: BinIndex): boolean {
  let last = 0n
  for (let reference = 0; reference < index.referenceCount; reference++) {
    const begin = referenceBegin(index, reference)
    if (begin === undefined) continue
    if (begin < last) return false
    last = begin
  }
  return true
}

/** Returns the buffers of an index, for transferring it between threads and for counting its memory. */
export function indexBuffers(index: BinIndex): ArrayBuffer[] {
  const arrays = [index.binStart, index.binId, index.chunkStart, index.chunks, index.linearStart]
  return [...arrays, index.linear, ...(index.binFloor ? [index.binFloor] : [])].map(
    (array) => array.buffer as ArrayBuffer,
  )
}

/** Returns whether two indexes have the same bins, chunks and windows. */
export function isSameIndex(a: BinIndex, b: BinIndex): boolean {
  const [ours, theirs] = [indexBuffers(a), indexBuffers(b)]
  if (a.minShift !== b.minShift || a.depth !== b.depth || ours.length !== theirs.length)
    return false
  return ours.every((buffer, i) => Buffer.from(buffer).equals(Buffer.from(theirs[i]!)))
}

/** Returns the id of the first bin of a level. Level 0 is the single bin over everything. */
function firstBin(level: number): number {
  return (8 ** level - 1) / 7
}

/** Returns the end of the positions that the index can address. */
function addressable(index: BinIndex): number {
  return 2 ** (index.minShift + 3 * index.depth)
}

/** Returns the bin of `level` with the position. Divides, because positions may exceed 32 bits. */
function binAt(index: BinIndex, level: number, position: number): number {
  const span = 2 ** (index.minShift + 3 * (index.depth - level))
  return firstBin(level) + Math.floor(position / span)
}

/** Returns the index in binId of the reference's first bin whose id is at least `id`. */
function lowerBin(index: BinIndex, reference: number, id: number): number {
  let low = index.binStart[reference]!
  let high = index.binStart[reference + 1]!
  while (low < high) {
    const middle = (low + high) >>> 1
    if (index.binId[middle]! < id) low = middle + 1
    else high = middle
  }
  return low
}

const lastEnd = (index: BinIndex, bin: number): bigint => {
  const chunk = index.chunkStart[bin + 1]! - 1
  return chunk < index.chunkStart[bin]! ? 0n : index.chunks[2 * chunk + 1]!
}

/**
 * Returns the greatest chunk end among the bins that lie entirely to the left of the position, or 0 if there are
 * none. Every record before this offset starts to the left of the position (ADR 3).
 */
export function endLeftOf(index: BinIndex, reference: number, position: number): bigint {
  if (reference >= index.referenceCount) return 0n
  const limit = Math.min(position, addressable(index))
  let greatest = 0n
  for (let level = 0; level <= index.depth; level++) {
    const below = lowerBin(index, reference, binAt(index, level, limit)) - 1
    if (below < index.binStart[reference]! || index.binId[below]! < firstBin(level)) continue
    const end = lastEnd(index, below)
    if (end > greatest) greatest = end
  }
  return greatest
}

/** Returns the chunks of the bins that contain the position (one bin per level), in file order. */
export function chunksAt(index: BinIndex, reference: number, position: number): [bigint, bigint][] {
  if (position >= addressable(index)) return []
  const found: [bigint, bigint][] = []
  for (let level = 0; level <= index.depth; level++) {
    const id = binAt(index, level, position)
    const bin = lowerBin(index, reference, id)
    if (bin === index.binStart[reference + 1] || index.binId[bin] !== id) continue
    for (let c = index.chunkStart[bin]!; c < index.chunkStart[bin + 1]!; c++) {
      found.push([index.chunks[2 * c]!, index.chunks[2 * c + 1]!])
    }
  }
  return found.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
}

/**
 * Returns an offset before which no mapped record overlaps the position: from the linear index (BAI, TBI), or
 * from the smallest bin that contains the position (CSI). Returns 0 if the index has no such offset. htslib
 * ignores placed unmapped reads here, so use the offset only as a bound for records that start to the left.
 */
export function floorAt(index: BinIndex, reference: number, position: number): bigint {
  if (!index.binFloor) {
    const window = index.linearStart[reference]! + Math.floor(position / 2 ** index.minShift)
    return window < index.linearStart[reference + 1]! ? index.linear[window]! : 0n
  }
  if (position >= addressable(index)) return 0n
  for (let level = index.depth; level >= 0; level--) {
    const id = binAt(index, level, position)
    const bin = lowerBin(index, reference, id)
    if (bin < index.binStart[reference + 1]! && index.binId[bin] === id) return index.binFloor[bin]!
  }
  return 0n
}

/** Returns the smallest chunk begin of the reference, or undefined if it has no records. */
export function referenceBegin(index: BinIndex, reference: number): bigint | undefined {
  if (reference >= index.referenceCount) return undefined
  let smallest: bigint | undefined
  const first = index.chunkStart[index.binStart[reference]!]!
  const last = index.chunkStart[index.binStart[reference + 1]!]!
  for (let c = first; c < last; c++) {
    const begin = index.chunks[2 * c]!
    if (smallest === undefined || begin < smallest) smallest = begin
  }
  return smallest
}

/** Returns the greatest chunk end of all references. The records without a reference start there. */
export function placedEnd(index: BinIndex): bigint {
  let greatest = 0n
  for (let c = 1; c < index.chunks.length; c += 2) {
    if (index.chunks[c]! > greatest) greatest = index.chunks[c]!
  }
  return greatest
}
