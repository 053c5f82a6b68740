import { compressBlocks, END_MARKER } from './bgzf.ts'
import { ByteSink } from './byte-sink.ts'
import { type IndexedLines, packLines } from './tabix.ts'

// Writers of BAI (SAM specification section 5.2), CSI (CSIv1 specification) and TBI (tabix specification). The
// optional pseudo-bins are written if the numbers of records are known. Without pseudo-bins, samtools finds no
// unplaced reads.

export type IndexKind = 'bai' | 'csi' | 'tbi'

/** Consecutive records of one reference. They extend from a virtual offset to the start of the next run. */
export interface PlacedRun {
  readonly reference: number
  /** Range of the records, 0-based and half-open: none starts before `first` or ends after `end`. */
  readonly first: number
  readonly end: number
  readonly begin: bigint
  /** Number of records, and number of unmapped records among them, if known. */
  readonly records?: number | undefined
  readonly unmapped?: number | undefined
}

interface IndexInput {
  /** Runs in file order, in which those of a reference are together. The last one only marks the end. */
  readonly runs: Iterable<PlacedRun>
  /** Length of each reference, or an upper limit for the ends of its records. */
  readonly ends: readonly number[]
  /** Columns and reference names of a text format. In slices, without unused references, as in tabix. */
  readonly lines?: IndexedLines | undefined
  readonly kind: IndexKind
  /** Number of records without a reference. Given for a whole file, whose runs have their record counts. */
  readonly unplaced?: number | undefined
}

const MIN_SHIFT = 14
const BAI_DEPTH = 5
/** Number of bases that the bins of a BAI or TBI cover. */
export const MAX_BAI_BASES = 2 ** (MIN_SHIFT + 3 * BAI_DEPTH)
/** Maximum number of windows per reference. Longer references have wider windows. */
const MAX_WINDOWS = 2 ** 20
/** Runs processed between two yields. */
const STEP_RUNS = 1000

/** Bins of one reference, with the starts and ends of their chunks, and its windows. */
interface ReferenceBins {
  readonly number: number
  readonly bins: Map<number, bigint[]>
  /** Smallest offset of a run that overlaps each window. Has holes until fillWindows. */
  readonly windows: bigint[]
  left: number
  /** Virtual offsets of the start and end of the reference's records, and numbers of mapped and unmapped records. */
  readonly begin: bigint
  end: bigint
  records: number
  unmapped: number
}

/** Window size as a power of two, in bases, and the number of bin levels above. */
interface Shape {
  readonly minShift: number
  readonly depth: number
}

/** Writes an index in steps and returns its bytes. */
export function* writeBinIndex({
  runs,
  ends,
  lines,
  kind,
  unplaced,
}: IndexInput): Generator<void, Uint8Array<ArrayBuffer>> {
  const shape = shapeFor(kind, ends)
  const isCounted = unplaced !== undefined
  // There may be millions of references, so objects are created for one reference at a time.
  const made = new ByteSink(Buffer.alloc(1024))
  const starts = new Float64Array(ends.length)
  const lengths = new Uint32Array(ends.length)
  const finish = ({ number, ...reference }: ReferenceBins) => {
    starts[number] = made.length
    fillWindows(reference.windows)
    if (kind === 'csi') addCsi(made, reference, shape, isCounted)
    else addBai(made, reference, isCounted)
    lengths[number] = made.length - starts[number]
  }
  let current: ReferenceBins | undefined
  let last: PlacedRun | undefined
  let count = 0
  for (const run of runs) {
    if (last) {
      if (current?.number !== last.reference) {
        if (current) finish(current)
        current = binsOf(last)
      }
      addRun(current, last, run.begin, shape)
    }
    last = run
    if (++count % STEP_RUNS === 0) yield
  }
  if (current) finish(current)
  yield
  const isListed = (number: number) => isCounted || !lines || lengths[number]! > 0
  const numbers = Uint32Array.from(ends.keys()).filter(isListed)
  const absent = kind === 'csi' ? NO_BINS : NO_BINS_NO_WINDOWS
  const columns = lines
    ? packLines({ ...lines, names: Array.from(numbers, (number) => lines.names[number] ?? '') })
    : Buffer.alloc(0)
  const head = Buffer.concat(headOf(kind, shape, numbers.length, columns))
  const size = numbers.reduce((sum, number) => sum + (lengths[number]! || absent.length), 0)
  const bytes = Buffer.alloc(head.length + size + (isCounted ? 8 : 0))
  let at = head.copy(bytes)
  for (const [i, number] of numbers.entries()) {
    const start = starts[number]!
    const length = lengths[number]!
    bytes.set(length > 0 ? made.written.subarray(start, start + length) : absent, at)
    at += length || absent.length
    if (i % STEP_RUNS === 0) yield
  }
  if (isCounted) bytes.writeBigUInt64LE(BigInt(unplaced), at)
  return kind === 'bai' ? bytes : Buffer.concat([...compressBlocks(bytes, 6), END_MARKER])
}

const NO_BINS = Buffer.alloc(4)
const NO_BINS_NO_WINDOWS = Buffer.alloc(8)

const binsOf = ({ reference, begin }: PlacedRun): ReferenceBins => ({
  number: reference,
  bins: new Map(),
  windows: [],
  left: 0,
  begin,
  end: begin,
  records: 0,
  unmapped: 0,
})

function shapeFor(kind: IndexKind, ends: readonly number[]): Shape {
  let minShift = MIN_SHIFT
  let depth = BAI_DEPTH
  if (kind !== 'csi') return { minShift, depth }
  const longest = ends.reduce((most, end) => Math.max(most, end), 1)
  while (longest > MAX_WINDOWS * 2 ** minShift) minShift++
  while (longest > 2 ** (minShift + 3 * depth)) depth++
  return { minShift, depth }
}

function headOf(
  kind: IndexKind,
  { minShift, depth }: Shape,
  count: number,
  columns: Buffer,
): readonly Buffer[] {
  switch (kind) {
    case 'bai':
      return [Buffer.from('BAI\x01'), int32s(count)]
    case 'tbi':
      return [Buffer.from('TBI\x01'), int32s(count), columns]
    case 'csi':
      return [
        Buffer.from('CSI\x01'),
        int32s(minShift, depth, columns.length),
        columns,
        int32s(count),
      ]
  }
}

function addRun(into: ReferenceBins, run: PlacedRun, end: bigint, shape: Shape): void {
  const { minShift, depth } = shape
  const most = 2 ** (minShift + 3 * depth)
  into.end = end
  into.records += run.records ?? 0
  into.unmapped += run.unmapped ?? 0
  // Records are sorted, so none starts before the records of earlier runs.
  into.left = Math.min(Math.max(into.left, run.first), most - 1)
  const { left } = into
  const right = Math.min(Math.max(run.end, left + 1), most)
  const bin = binOf(left, right, shape)
  const chunks = into.bins.get(bin)
  if (!chunks) into.bins.set(bin, [run.begin, end])
  else if (chunks.at(-1) === run.begin) chunks[chunks.length - 1] = end
  else chunks.push(run.begin, end)
  const firstWindow = Math.floor(left / 2 ** minShift)
  const lastWindow = Math.floor((right - 1) / 2 ** minShift)
  // Windows are filled without gaps, so writing can continue at the end.
  let window = Math.max(firstWindow, into.windows.length)
  if (into.windows[firstWindow] === undefined) window = firstWindow
  for (; window <= lastWindow; window++) into.windows[window] = run.begin
}

/** Returns the smallest bin that contains the whole interval [start, end). */
function binOf(start: number, end: number, { minShift, depth }: Shape): number {
  let shift = minShift
  for (let level = depth; level > 0; level--, shift += 3) {
    const first = Math.floor(start / 2 ** shift)
    if (first === Math.floor((end - 1) / 2 ** shift)) return firstBin(level) + first
  }
  return 0
}

const firstBin = (level: number) => (8 ** level - 1) / 7

/** Fills windows without runs with the offset of the window before, as htslib does. */
function fillWindows(windows: bigint[]): void {
  let before = 0n
  for (let i = 0; i < windows.length; i++) {
    windows[i] ??= before
    before = windows[i]!
  }
}

type Finished = Omit<ReferenceBins, 'number'>

function addBai(to: ByteSink, reference: Finished, isCounted: boolean): void {
  const { bins, windows } = reference
  addInt32s(to, bins.size + (isCounted ? 1 : 0))
  for (const [bin, chunks] of bins) {
    addInt32s(to, bin, chunks.length / 2)
    addOffsets(to, chunks)
  }
  if (isCounted) {
    addInt32s(to, pseudoBin(BAI_DEPTH), 2)
    addOffsets(to, countsOf(reference))
  }
  addInt32s(to, windows.length)
  addOffsets(to, windows)
}

function addCsi(to: ByteSink, reference: Finished, { depth }: Shape, isCounted: boolean): void {
  const { bins, windows } = reference
  addInt32s(to, bins.size + (isCounted ? 1 : 0))
  for (const [bin, chunks] of bins) {
    addInt32s(to, bin)
    addOffsets(to, [windows[windowOf(bin, depth)] ?? 0n])
    addInt32s(to, chunks.length / 2)
    addOffsets(to, chunks)
  }
  if (!isCounted) return
  addInt32s(to, pseudoBin(depth))
  addOffsets(to, [0n])
  addInt32s(to, 2)
  addOffsets(to, countsOf(reference))
}

const pseudoBin = (depth: number) => firstBin(depth + 1) + 1

/** Returns the two chunks of a pseudo-bin. */
const countsOf = ({ begin, end, records, unmapped }: Finished) => [
  begin,
  end,
  BigInt(records - unmapped),
  BigInt(unmapped),
]

/** Returns the first window of a bin. */
function windowOf(bin: number, depth: number): number {
  let level = 0
  while (bin >= firstBin(level + 1)) level++
  return (bin - firstBin(level)) * 8 ** (depth - level)
}

function int32s(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length)
  for (const [i, value] of values.entries()) bytes.writeInt32LE(value, 4 * i)
  return bytes
}

function addInt32s(to: ByteSink, ...values: readonly number[]): void {
  const at = to.skip(4 * values.length)
  for (const [i, value] of values.entries()) to.view.setInt32(at + 4 * i, value, true)
}

function addOffsets(to: ByteSink, values: readonly bigint[]): void {
  const at = to.skip(8 * values.length)
  const { view } = to
  for (const [i, value] of values.entries()) view.setBigUint64(at + 8 * i, value, true)
}
