import { compressBlocks, END_MARKER } from './bgzf.ts'

// SAM specification 5.2 (BAI) and the CSIv1 specification. Pseudo-bins with counts of records are optional, and
// left out.

export type IndexKind = 'bai' | 'csi'

/** Records of one reference that follow each other, from a virtual offset on up to that of the next. */
export interface PlacedRun {
  readonly reference: number
  /** No record starts before; none ends behind. 0-based, half-open. */
  readonly first: number
  readonly end: number
  readonly begin: bigint
}

export interface IndexInput {
  /** In the order of the file. The last one merely says where the others end. */
  readonly runs: Iterable<PlacedRun>
  /** Bases of each reference. */
  readonly lengths: ArrayLike<number>
  readonly kind: IndexKind
}

const MIN_SHIFT = 14
const BAI_DEPTH = 5
/** What the bins of a BAI reach. */
export const MAX_BAI_BASES = 2 ** (MIN_SHIFT + 3 * BAI_DEPTH)
/** Runs between which others are let in. */
const STEP_RUNS = 1000

/** The bins of one reference with the begins and ends of their chunks, and its windows. */
interface ReferenceBins {
  readonly bins: Map<number, bigint[]>
  /** The smallest offset of a run that reaches into each window; holes until it is written. */
  readonly windows: bigint[]
  left: number
}

/** The bytes of an index of runs, in steps. */
export function* writeBinIndex({
  runs,
  lengths,
  kind,
}: IndexInput): Generator<void, Uint8Array<ArrayBuffer>> {
  const longest = Array.from(lengths).reduce((most, length) => Math.max(most, length), 1)
  let depth = BAI_DEPTH
  while (kind === 'csi' && 2 ** (MIN_SHIFT + 3 * depth) < longest) depth++
  const references = Array.from(lengths, (): ReferenceBins => {
    return { bins: new Map(), windows: [], left: 0 }
  })
  let last: PlacedRun | undefined
  let count = 0
  for (const run of runs) {
    const bins = last && references[last.reference]
    if (last && bins) addRun(bins, last, run.begin, depth)
    last = run
    if (++count % STEP_RUNS === 0) yield
  }
  const parts: Buffer[] = []
  for (const reference of references) {
    fillWindows(reference.windows)
    parts.push(...(kind === 'bai' ? baiParts(reference) : csiParts(reference, depth)))
    yield
  }
  const head =
    kind === 'bai'
      ? [Buffer.from('BAI\x01'), int32s(references.length)]
      : [Buffer.from('CSI\x01'), int32s(MIN_SHIFT, depth, 0, references.length)]
  const bytes = Buffer.concat([...head, ...parts])
  return kind === 'bai' ? bytes : Buffer.concat([...compressBlocks(bytes, 6), END_MARKER])
}

function addRun(into: ReferenceBins, run: PlacedRun, end: bigint, depth: number): void {
  const most = 2 ** (MIN_SHIFT + 3 * depth)
  // Records are in order, so none starts before what an earlier one is known to start behind.
  into.left = Math.min(Math.max(into.left, run.first), most - 1)
  const { left } = into
  const right = Math.min(Math.max(run.end, left + 1), most)
  const bin = binOf(left, right, depth)
  const chunks = into.bins.get(bin)
  if (!chunks) into.bins.set(bin, [run.begin, end])
  else if (chunks.at(-1) === run.begin) chunks[chunks.length - 1] = end
  else chunks.push(run.begin, end)
  const lastWindow = Math.floor((right - 1) / 2 ** MIN_SHIFT)
  // What is filled from the first of its windows on is filled without a hole.
  let window = Math.max(Math.floor(left / 2 ** MIN_SHIFT), into.windows.length)
  if (into.windows[Math.floor(left / 2 ** MIN_SHIFT)] === undefined) {
    window = Math.floor(left / 2 ** MIN_SHIFT)
  }
  for (; window <= lastWindow; window++) into.windows[window] = run.begin
}

/** The smallest bin that holds all of [start, end). */
function binOf(start: number, end: number, depth: number): number {
  let shift = MIN_SHIFT
  for (let level = depth; level > 0; level--, shift += 3) {
    const first = Math.floor(start / 2 ** shift)
    if (first === Math.floor((end - 1) / 2 ** shift)) return firstBin(level) + first
  }
  return 0
}

const firstBin = (level: number) => (8 ** level - 1) / 7

/** A window that no run reaches into has the offset of the one before it, as htslib writes it. */
function fillWindows(windows: bigint[]): void {
  let before = 0n
  for (let i = 0; i < windows.length; i++) {
    windows[i] ??= before
    before = windows[i]!
  }
}

function* baiParts({ bins, windows }: ReferenceBins): Generator<Buffer> {
  yield int32s(bins.size)
  for (const [bin, chunks] of bins) {
    yield int32s(bin, chunks.length / 2)
    yield offsets(chunks)
  }
  yield int32s(windows.length)
  yield offsets(windows)
}

function* csiParts({ bins, windows }: ReferenceBins, depth: number): Generator<Buffer> {
  yield int32s(bins.size)
  for (const [bin, chunks] of bins) {
    yield int32s(bin)
    yield offsets([windows[firstWindow(bin, depth)] ?? 0n])
    yield int32s(chunks.length / 2)
    yield offsets(chunks)
  }
}

function firstWindow(bin: number, depth: number): number {
  let level = 0
  while (bin >= firstBin(level + 1)) level++
  return (bin - firstBin(level)) * 8 ** (depth - level)
}

function int32s(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length)
  for (const [i, value] of values.entries()) bytes.writeInt32LE(value, 4 * i)
  return bytes
}

function offsets(values: readonly bigint[]): Buffer {
  const bytes = Buffer.alloc(8 * values.length)
  for (const [i, value] of values.entries()) bytes.writeBigUInt64LE(value, 8 * i)
  return bytes
}
