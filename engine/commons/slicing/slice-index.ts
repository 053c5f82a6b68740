import { LoopTurns } from '../../shared/concurrency/loop-turns.ts'
import { EngineError } from '../../shared/errors.ts'
import {
  type IndexKind,
  MAX_BAI_BASES,
  type PlacedRun,
  writeBinIndex,
} from '../../shared/formats/bam-index-writer.ts'
import { blockLength, WRITE_BLOCK_BYTES } from '../../shared/formats/bgzf.ts'
import type { Alignment } from './alignment.ts'
import { type Directory, lowerRow, referenceOfRun, runsOfReference } from './directory.ts'
import type { EdgeStep } from './edge.ts'
import type { AlignmentHeader } from './header.ts'
import type { Layout, MadePiece } from './pieces.ts'
import type { RecordFormat } from './records/record-format.ts'

/** Index kinds that readers of each format accept. */
const KINDS: Readonly<Record<RecordFormat['kind'], readonly IndexKind[]>> = {
  BAM: ['bai', 'csi'],
  BCF: ['csi'],
  lines: ['tbi', 'csi'],
}

/**
 * Builds the index of a slice from the block directory of its file: one chunk per run of records, in the
 * smallest bin that contains the run. A query may find more records than wanted, never fewer, and readers filter
 * them. No block is inflated.
 * @param layout layout of the slice; undefined if its edges are too many to keep
 * @throws EngineError bad_input for a kind that readers of the format do not accept, or if a reference is too
 *   long for BAI or TBI; no_index without a directory; too_large without a layout
 */
export async function indexOfSlice(
  alignment: Alignment,
  layout: Layout | undefined,
  kind: IndexKind,
): Promise<Uint8Array<ArrayBuffer>> {
  const { directory, header } = alignment
  const { fileFormat, format, names } = header
  const kinds = KINDS[format.kind]
  if (!kinds.includes(kind)) {
    const message = `${kind} is no index of ${fileFormat}; ask for ${kinds.join(' or ')}`
    throw new EngineError('bad_input', message, { at: 'index' })
  }
  if (!directory) {
    const advice = 'its block directory is being made, so try again later'
    throw new EngineError('no_index', `the slice of this file cannot be indexed yet; ${advice}`)
  }
  if (!layout) {
    const reason = 'its edges are more than can be held; ask for fewer regions'
    throw new EngineError('too_large', `the slice cannot be indexed: ${reason}`)
  }
  const ends = format.kind === 'BAM' ? Array.from(header.lengths) : endsOfRecords(directory, names)
  const long = ends.findIndex((end) => end > MAX_BAI_BASES)
  if (kind !== 'csi' && long !== -1) {
    throw new EngineError(
      'bad_input',
      `reference "${names[long]}" is longer than a ${kind.toUpperCase()} can index; ask for csi`,
      { at: 'index' },
    )
  }
  const runs = runsOf(directory, layout, names.length)
  const lines = format.kind === 'lines' ? { layout: format.layout, names } : undefined
  return new LoopTurns().run(writeBinIndex({ runs, ends, lines, kind }))
}

/** The index of a whole file. */
export interface FileIndex {
  readonly kind: IndexKind
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** The index that was imported with a file. */
interface BroughtIndex {
  readonly isCsi: boolean
  /** Number of references in the index. In a line-based file, references keep the numbers of the file's index. */
  readonly names: number
}

/**
 * Builds the index of a file from its block directory, with record counts. The index has the same kind as the
 * imported one, unless positions are too large for that kind.
 * @param directory directory with record counts, as this version builds it
 */
export async function indexOfFile(
  { format, names, lengths }: Pick<AlignmentHeader, 'format' | 'names' | 'lengths'>,
  directory: Directory,
  brought: BroughtIndex | undefined,
): Promise<FileIndex> {
  const ends = endsOfRecords(directory, names)
  // The imported index may lack names that the file has records of.
  let named = brought?.names ?? names.length
  for (const [reference, end] of ends.entries()) {
    const [first, next] = runsOfReference(directory, reference)
    if (first < next) named = Math.max(named, reference + 1)
    if (!brought) ends[reference] = Math.max(lengths[reference] ?? 0, end)
  }
  const isShort = ends.every((end) => end <= MAX_BAI_BASES)
  const [usual = 'csi'] = KINDS[format.kind]
  const kind = isShort && !brought?.isCsi ? usual : 'csi'
  const turns = new LoopTurns()
  const unplaced = await turns.run(unplacedIn(directory, names.length))
  const lines =
    format.kind === 'lines' ? { layout: format.layout, names: names.slice(0, named) } : undefined
  const runs = runsOfFile(directory, names.length)
  const given = { runs, ends: ends.slice(0, lines?.names.length), lines, kind, unplaced }
  return { kind, bytes: await turns.run(writeBinIndex(given)) }
}

/** Number of runs that are counted between two pauses. */
const STEP_RUNS = 1 << 14

/** Returns the number of records without a reference, if the directory has it. */
function* unplacedIn(directory: Directory, unplaced: number): Generator<void, number | undefined> {
  const { runRecords } = directory
  if (!runRecords) return undefined
  let records = 0
  const [first, next] = runsOfReference(directory, unplaced)
  for (let run = first; run < next; run++) {
    records += runRecords.at(run)!
    if (run % STEP_RUNS === 0) yield
  }
  return records
}

function* runsOfFile(directory: Directory, unplaced: number): Generator<PlacedRun> {
  const { blockOffset, runBlock, runInner, runFirst, runEnd, runRecords, runUnmapped } = directory
  const [last] = runsOfReference(directory, unplaced)
  for (let run = 0; run < last; run++) {
    yield {
      reference: referenceOfRun(directory, run),
      first: runFirst.at(run)!,
      end: runEnd.at(run)!,
      begin: packed(blockOffset.at(runBlock.at(run)!)!, runInner.at(run)!),
      records: runRecords?.at(run),
      unmapped: runUnmapped?.at(run),
    }
  }
  const isEnd = last === runBlock.length
  const begin = isEnd
    ? packed(blockOffset.at(-1)!, 0)
    : packed(blockOffset.at(runBlock.at(last)!)!, runInner.at(last)!)
  yield { reference: unplaced, first: 0, end: 0, begin }
}

/** Returns the end of each reference's records, 0 without any. */
function endsOfRecords(directory: Directory, names: readonly string[]): number[] {
  return names.map((_, reference) => {
    const [first, next] = runsOfReference(directory, reference)
    return first < next ? directory.reach.at(next - 1)! : 0
  })
}

/** Yields the start offset of each run in a slice, followed by the end of the placed records. */
function* runsOf(
  directory: Directory,
  { pieces, starts }: Layout,
  unplaced: number,
): Generator<PlacedRun> {
  for (const [i, piece] of pieces.entries()) {
    const at = starts[i]!
    if (piece.kind === 'made') {
      for (const run of runsOfEdge(directory, piece, at)) {
        yield run
        if (run.reference === unplaced) return
      }
      continue
    }
    const { blockOffset, runBlock, runInner, runFirst, runEnd } = directory
    const limit = lowerRow(blockOffset, piece.end)
    let run = lowerRow(runBlock, lowerRow(blockOffset, piece.start))
    for (; run < runBlock.length && runBlock.at(run)! < limit; run++) {
      const block = at + blockOffset.at(runBlock.at(run)!)! - piece.start
      const reference = referenceOfRun(directory, run)
      yield {
        reference,
        first: runFirst.at(run)!,
        end: runEnd.at(run)!,
        begin: packed(block, runInner.at(run)!),
      }
      if (reference === unplaced) return
    }
  }
  yield { reference: unplaced, first: 0, end: 0, begin: packed(starts.at(-2)!, 0) }
}

function* runsOfEdge(
  directory: Directory,
  { bytes, edge }: MadePiece,
  at: number,
): Generator<PlacedRun> {
  if (!edge) return
  const { blockOffset, runBlock, runInner, runFirst, runEnd } = directory
  const blocks = [...blocksOf(bytes)]
  // Blocks of an edge are filled completely, so an inflated offset determines the block.
  const place = (offset: number) =>
    packed(at + blocks[Math.floor(offset / WRITE_BLOCK_BYTES)]!, offset % WRITE_BLOCK_BYTES)
  for (const [i, step] of edge.steps.entries()) {
    const [base, from, to] = edge.places.subarray(3 * i, 3 * i + 3) as unknown as [
      number,
      number,
      number,
    ]
    if (step.kind === 'span' || from === to) continue
    const row = lowerRow(blockOffset, step.block)
    let run = lowerRow(runBlock, row)
    for (; run < runBlock.length && runBlock.at(run) === row; run++) {
      const reference = referenceOfRun(directory, run)
      const inner = runInner.at(run)!
      const next = runBlock.at(run + 1) === row ? runInner.at(run + 1)! : Number.POSITIVE_INFINITY
      const isWithin =
        step.kind === 'reaching' ? reference === step.reference : next > from && inner < to
      if (!isWithin) continue
      const offset = step.kind === 'reaching' ? base : base + Math.max(inner, from) - from
      const first = Math.max(runFirst.at(run)!, lowestOf(step))
      yield { reference, first, end: runEnd.at(run)!, begin: place(offset) }
    }
  }
}

/** Returns the lowest start of a step's records. */
const lowestOf = (step: EdgeStep) => (step.kind === 'reaching' ? step.floor : -1)

function* blocksOf(bytes: Uint8Array): Generator<number> {
  for (let at = 0; at < bytes.length; at += blockLength(bytes, at, bytes.length)) yield at
}

const packed = (block: number, inner: number) => (BigInt(block) << 16n) | BigInt(inner)
