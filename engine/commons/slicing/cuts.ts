import { damage } from '../../shared/blobs/source.ts'
import type { LoopTurns } from '../../shared/concurrency/loop-turns.ts'
import { EngineError, type ErrorCode } from '../../shared/errors.ts'
import type { Executor } from '../../shared/executor.ts'
import { type BinIndex, referenceBegin } from '../../shared/formats/bam-index.ts'
import type { Interval } from '../../shared/input/region.ts'
import { mapAhead } from './ahead.ts'
import type { Alignment } from './alignment.ts'
import { BY_INDEX } from './explain-file.ts'
import {
  blockEndJob,
  type IndexedInterval,
  type Located,
  locateJob,
  locateUnplacedJob,
} from './locate.ts'
import {
  type Cut,
  cutByDirectory,
  cutLocated,
  cutUnplaced,
  hintsOfIndex,
  unplacedHint,
} from './plan.ts'
import { formatFor, mayBeEmpty } from './records/record-format.ts'

/** Selection of records. Intervals are merged, in the order of the header's references. */
export interface Selection {
  readonly intervals: Iterable<Interval>
  /** Whether to append records without a reference. */
  readonly unplaced: boolean
  /** Start position below which records of the first interval's reference have already been sent. */
  readonly floor?: number | undefined
}

interface CutContext {
  readonly executor: Executor
  readonly signal: AbortSignal
  /** Number of cuts to look up concurrently. */
  readonly ahead: () => number
  readonly turns: LoopTurns
}

/**
 * Cuts a selection out of a file, interval by interval. Uses the index if one is given, otherwise the block
 * directory.
 */
export function cutsOf(
  alignment: Alignment,
  index: BinIndex | undefined,
  selection: Selection,
  context: CutContext,
): AsyncGenerator<Cut> {
  const intervals = inFileOrder(selection.intervals, alignment, index)
  const ordered = { ...selection, intervals }
  return index
    ? cutsByIndex(alignment, index, ordered, context)
    : cutsByDirectory(alignment, ordered, context)
}

/**
 * Sorts intervals into file order. They come sorted by reference number, but the file may store references in
 * another order.
 */
function inFileOrder(
  intervals: Iterable<Interval>,
  { directory }: Alignment,
  index: BinIndex | undefined,
): Iterable<Interval> {
  if (index) {
    if (index.isAscending) return intervals
    const begins = new Map<number, bigint>()
    for (const { reference } of intervals) {
      if (!begins.has(reference)) begins.set(reference, referenceBegin(index, reference) ?? 0n)
    }
    const beginOf = ({ reference }: Interval) => begins.get(reference)!
    return [...intervals].sort((a, b) =>
      beginOf(a) < beginOf(b) ? -1 : beginOf(a) > beginOf(b) ? 1 : a.reference - b.reference,
    )
  }
  // A directory has referenceEnd only if the file does not store references in the order of their numbers.
  if (!directory?.referenceEnd) return intervals
  const { referenceRun } = directory
  return [...intervals].sort(
    (a, b) =>
      referenceRun.at(a.reference)! - referenceRun.at(b.reference)! || a.reference - b.reference,
  )
}

/**
 * Yields each interval with its floor: records that start before the floor are already part of an earlier cut.
 * The floor is the end of the preceding interval on the same reference, or 0. The first interval has the floor
 * of the selection.
 */
function* withFloors({ intervals, floor = 0 }: Selection): Generator<[Interval, number]> {
  let last: Interval | undefined
  for (const interval of intervals) {
    const ofFirst = last ? 0 : floor
    yield [interval, last?.reference === interval.reference ? last.end : ofFirst]
    last = interval
  }
}

/** Number of intervals that are cut between two pauses. */
const STEP_INTERVALS = 64

async function* cutsByDirectory(
  { directory, header }: Alignment,
  selection: Selection,
  { turns }: Pick<CutContext, 'turns'>,
): AsyncGenerator<Cut> {
  if (!directory) return
  let made = 0
  for (const [interval, floor] of withFloors(selection)) {
    // If intervals have no records, no later step would ever wait, so this loop pauses by itself.
    if (++made % STEP_INTERVALS === 0) await turns.pause()
    yield cutByDirectory(directory, interval, floor, mayBeEmpty(header.format))
  }
  if (selection.unplaced) yield cutUnplaced(directory)
}

async function* cutsByIndex(
  alignment: Alignment,
  index: BinIndex,
  selection: Selection,
  context: CutContext,
): AsyncGenerator<Cut> {
  const { blob, identity, header } = alignment
  const { executor, signal, ahead, turns } = context
  const isLoose = mayBeEmpty(header.format)
  async function* indexed() {
    let made = 0
    for (const [interval, floor] of withFloors(selection)) {
      if (++made % STEP_INTERVALS === 0) await turns.pause()
      const known = hintsOfIndex(index, interval, floor, isLoose)
      if (known) yield known
    }
  }
  const locating = mapAhead(inGroups(indexed(), blob.isLocal), ahead, (intervals) =>
    locatedOf(alignment, intervals, context),
  )
  for await (const { located, failure } of locating) {
    for (const one of located) {
      // A range that reaches the end of a file without an end marker may lack records that were cut off.
      if (!alignment.complete && one.to.block >= identity.size) throw noMarker(alignment)
      yield cutLocated(one)
    }
    if (failure !== undefined) throw failure
  }
  if (!selection.unplaced || header.format.kind !== 'BAM') return
  const hint = unplacedHint(index, { block: header.firstBlock, inner: header.firstInner })
  const located = await blob.run(executor, locateUnplacedJob, { begin: hint }, { signal })
  yield cutLocated(located)
  // A file without an end marker may have been truncated within its unplaced records.
  if (!alignment.complete) throw noMarker(alignment)
}

/** Number of intervals that one job locates. A job for each small interval would cost too much. */
const GROUP_INTERVALS = 64
/** A group has at most one interval per this many before it, so that the first intervals run concurrently. */
const GROUP_SHARE = 16

/**
 * Groups intervals for jobs. A job on a remote file is repeated whenever it needs a part that has not been
 * fetched, so intervals of remote files are not grouped.
 */
async function* inGroups(
  intervals: AsyncIterable<IndexedInterval>,
  isLocal: boolean,
): AsyncGenerator<readonly IndexedInterval[]> {
  let group: IndexedInterval[] = []
  let before = 0
  for await (const interval of intervals) {
    group.push(interval)
    const most = isLocal ? Math.min(GROUP_INTERVALS, before / GROUP_SHARE) : 1
    if (group.length < most) continue
    yield group
    before += group.length
    group = []
  }
  if (group.length > 0) yield group
}

/** Errors of a part of the file or the index. */
const OF_FILE: ReadonlySet<ErrorCode> = new Set(['corrupt_source', 'no_index'])

interface LocatedGroup {
  /** Intervals before the first that cannot be located. */
  readonly located: readonly Located[]
  readonly failure?: unknown
}

async function locatedOf(
  alignment: Alignment,
  intervals: readonly IndexedInterval[],
  { executor, signal }: Pick<CutContext, 'executor' | 'signal'>,
): Promise<LocatedGroup> {
  const { blob, header, parts } = alignment
  const references = intervals.map(({ reference }) => reference)
  const format = formatFor(header.format, header.names, references)
  const locate = (intervals: readonly IndexedInterval[]) =>
    blob.run(executor, locateJob, { format, intervals }, { signal })
  const located: Located[] = []
  try {
    return { located: await locate(intervals) }
  } catch (cause) {
    const isOfFile = cause instanceof EngineError && OF_FILE.has(cause.code)
    if (!isOfFile || intervals.length === 1) {
      return { located, failure: parts.file ? cause : doubted(cause) }
    }
  }
  // One interval of the group failed. The intervals before it are still sent.
  for (const interval of intervals) {
    const one = await locatedOf(alignment, [interval], { executor, signal })
    if (one.failure !== undefined) return { located, failure: one.failure }
    located.push(...one.located)
  }
  return { located }
}

/** Yields a cut from the first record to the end of the file. */
export async function* wholeCut(
  alignment: Alignment,
  { executor, signal }: Pick<CutContext, 'executor' | 'signal'>,
): AsyncGenerator<Cut> {
  const { blob, identity, header } = alignment
  const from = { block: header.firstBlock, inner: header.firstInner }
  const to = { block: identity.size, inner: 0 }
  const afterFrom = await blob.run(executor, blockEndJob, { block: from.block }, { signal })
  yield cutLocated({ reaching: [], from, to, afterFrom })
  if (!alignment.complete) throw noMarker(alignment)
}

/**
 * Yields cuts until they would copy more than this many bytes.
 * @throws EngineError too_large if they would
 */
export async function* boundedCuts(
  cuts: AsyncIterable<Cut>,
  maxCopied: number,
): AsyncGenerator<Cut> {
  let copied = 0
  for await (const cut of cuts) {
    copied += cut.copy ? cut.copy.end - cut.copy.start : 0
    if (copied > maxCopied) {
      const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`
      throw new EngineError(
        'too_large',
        `the region has ${megabytes(copied)} of the file; at most ${megabytes(maxCopied)} are read, so give a smaller region`,
        { at: 'region' },
      )
    }
    yield cut
  }
}

/** Adds to an error about bytes of a file outside the data folder that its index may be the cause. */
function doubted(cause: unknown): unknown {
  const isPlain = cause instanceof EngineError && cause.code === 'corrupt_source'
  if (!isPlain || cause.at !== undefined) return cause
  return new EngineError(cause.code, cause.message, { cause, at: BY_INDEX })
}

function noMarker({ identity }: Alignment): EngineError {
  return damage('file has no end marker; it ends', identity.size)
}
