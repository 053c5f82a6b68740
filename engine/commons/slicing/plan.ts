import type { BinIndex } from '../../shared/formats/bam-index.ts'
import {
  chunksAt,
  endLeftOf,
  floorAt,
  placedEnd,
  referenceBegin,
} from '../../shared/formats/bam-index.ts'
import type { Interval } from '../../shared/input/region.ts'
import { type Directory, lowerRow, runsOfReference } from './directory.ts'
import type { EdgeStep, Inside } from './edge.ts'
import { type IndexedInterval, type Located, unpackOffset, type VirtualOffset } from './locate.ts'

/** A part of a slice's output: a newly compressed edge, or whole blocks of the file from start to end. */
export type Chunk =
  | { readonly kind: 'edge'; readonly steps: readonly EdgeStep[] }
  | { readonly kind: 'copy'; readonly start: number; readonly end: number }

/** Output for one interval: the steps of its first edge, then copied blocks, then the steps of its last edge. */
export interface Cut {
  readonly before: readonly EdgeStep[]
  readonly copy: { readonly start: number; readonly end: number } | undefined
  readonly after: readonly EdgeStep[]
}

/** Maximum number of steps per edge. It keeps many tiny intervals from blocking a thread or filling memory. */
const MAX_EDGE_STEPS = 32

/** Joins the cuts of adjacent intervals. The steps between two copies become one edge. */
export async function* joinCuts(cuts: AsyncIterable<Cut>): AsyncGenerator<Chunk> {
  let steps: EdgeStep[] = []
  for await (const cut of cuts) {
    for (const step of cut.before) {
      if (steps.length === MAX_EDGE_STEPS) {
        yield { kind: 'edge', steps }
        steps = []
      }
      steps.push(step)
    }
    if (cut.copy) {
      if (steps.length > 0) yield { kind: 'edge', steps }
      yield { kind: 'copy', ...cut.copy }
      steps = []
    }
    steps.push(...cut.after)
  }
  if (steps.length > 0) yield { kind: 'edge', steps }
}

/** Border of an interval: a row of the directory's blocks, and a position inside that block. */
interface Border {
  readonly row: number
  readonly inside: Inside
}

/**
 * Cuts one interval with the block directory alone, without reading the file.
 * @param floor records that start before this position belong to an earlier interval's output
 * @param isLoose whether a record may have length 0 (mayBeEmpty)
 */
export function cutByDirectory(
  directory: Directory,
  interval: Interval,
  floor: number,
  isLoose = false,
): Cut {
  const { runFirst, runLast, runEnd, reach } = directory
  const { reference, start, end } = interval
  const from = firstOf(start, isLoose)
  const [low, high] = runsOfReference(directory, reference)
  const first = lowerRow(runFirst, from, low, high)

  const before: EdgeStep[] = []
  for (let run = lowerRow(reach, start + 1, low, first); run < first; run++) {
    if (runEnd.at(run)! <= start || runLast.at(run)! < floor) continue
    before.push({
      kind: 'reaching',
      block: directory.blockOffset.at(directory.runBlock.at(run)!)!,
      inner: directory.runInner.at(run)!,
      reference,
      floor,
      position: from,
      beyond: start,
    })
  }

  const border = (run: number, position: number): Border =>
    run > low && runLast.at(run - 1)! >= position
      ? {
          row: directory.runBlock.at(run - 1)!,
          inside: { from: directory.runInner.at(run - 1)!, reference, position },
        }
      : startOfRun(directory, run)
  const last = end === Infinity ? high : lowerRow(runFirst, end, low, high)
  return cutRows(directory, before, border(first, from), border(last, Math.max(end, from)))
}

/**
 * Returns the start position from which all records belong to the interval, whatever their length. A record of
 * length 0 at the interval's start does not belong to it (mayBeEmpty). Records that start earlier are examined
 * one by one.
 */
const firstOf = (start: number, isLoose: boolean): number => (isLoose ? start + 1 : start)

/** Cuts the records without a reference, which are the last runs of the file. */
export function cutUnplaced(directory: Directory): Cut {
  const { referenceRun, runBlock } = directory
  const [first] = runsOfReference(directory, referenceRun.length - 2)
  return cutRows(
    directory,
    [],
    startOfRun(directory, first),
    startOfRun(directory, runBlock.length),
  )
}

function startOfRun(directory: Directory, run: number): Border {
  return run < directory.runBlock.length
    ? { row: directory.runBlock.at(run)!, inside: directory.runInner.at(run)! }
    : { row: directory.blockLength.length, inside: 0 }
}

function cutRows(directory: Directory, before: EdgeStep[], from: Border, to: Border): Cut {
  const { blockOffset, blockLength } = directory
  const after: EdgeStep[] = []
  if (from.row === to.row) {
    if (from.inside !== to.inside) {
      before.push({
        kind: 'part',
        block: blockOffset.at(from.row)!,
        low: from.inside,
        high: to.inside,
      })
    }
    return { before, copy: undefined, after }
  }
  let firstCopied = from.row
  if (from.inside !== 0) {
    before.push({ kind: 'part', block: blockOffset.at(from.row)!, low: from.inside, high: 'end' })
    firstCopied++
  }
  if (to.inside !== 0) {
    after.push({ kind: 'part', block: blockOffset.at(to.row)!, low: 0, high: to.inside })
  }
  if (firstCopied === to.row) return { before, copy: undefined, after }
  const end = blockOffset.at(to.row - 1)! + blockLength.at(to.row - 1)!
  return { before, copy: { start: blockOffset.at(firstCopied)!, end }, after }
}

/** Returns what the index says about an interval, or undefined if the reference has no records. */
export function hintsOfIndex(
  index: BinIndex,
  { reference, start, end }: Interval,
  floor: number,
  isLoose = false,
): IndexedInterval | undefined {
  const from = firstOf(start, isLoose)
  const referenceStart = referenceBegin(index, reference)
  if (referenceStart === undefined) return undefined
  const greater = (a: bigint, b: bigint) => (a > b ? a : b)
  const begin = greater(endLeftOf(index, reference, from), referenceStart)

  let candidates: [VirtualOffset, VirtualOffset][]
  if (start === 0) {
    // At position 0, no record reaches in from the left. But records that have a reference and no position come
    // first.
    candidates = [[unpackOffset(begin), { block: Infinity, inner: 0 }]]
  } else {
    const floorOffset = floorAt(index, reference, start)
    const lowest = begin < floorOffset ? begin : floorOffset
    candidates = mergeChunks(
      chunksAt(index, reference, start)
        .filter(([, chunkEnd]) => chunkEnd > lowest)
        .map(([chunkBegin, chunkEnd]) => [greater(chunkBegin, lowest), chunkEnd]),
    ).map(([chunkBegin, chunkEnd]) => [unpackOffset(chunkBegin), unpackOffset(chunkEnd)])
  }

  const ends = end === Infinity ? [] : chunksAt(index, reference, end).map(([, e]) => e)
  return {
    reference,
    start,
    from,
    end,
    floor,
    begin: unpackOffset(begin),
    candidates,
    finish: unpackOffset(endLeftOf(index, reference, end)),
    limit: ends.length > 0 ? unpackOffset(ends.reduce(greater)) : undefined,
    isAscending: index.isAscending,
  }
}

function mergeChunks(chunks: [bigint, bigint][]): [bigint, bigint][] {
  const merged: [bigint, bigint][] = []
  for (const [begin, end] of chunks.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))) {
    const last = merged.at(-1)
    if (last && begin <= last[1]) last[1] = end > last[1] ? end : last[1]
    else merged.push([begin, end])
  }
  return merged
}

/** Returns the offset from which to search for records without a reference. */
export function unplacedHint(index: BinIndex, first: VirtualOffset): VirtualOffset {
  const end = placedEnd(index)
  return end === 0n ? first : unpackOffset(end)
}

/** Cuts an interval whose virtual offsets are known. */
export function cutLocated({ reaching, from, to, afterFrom }: Located): Cut {
  const before: EdgeStep[] = reaching.map((span) => ({ kind: 'span', ...span }))
  if (from.block === to.block) {
    if (from.inner < to.inner) {
      before.push({ kind: 'part', block: from.block, low: from.inner, high: to.inner })
    }
    return { before, copy: undefined, after: [] }
  }
  let start = from.block
  if (from.inner > 0) {
    before.push({ kind: 'part', block: from.block, low: from.inner, high: 'end' })
    start = afterFrom
  }
  const after: EdgeStep[] =
    to.inner > 0 ? [{ kind: 'part', block: to.block, low: 0, high: to.inner }] : []
  return { before, copy: start < to.block ? { start, end: to.block } : undefined, after }
}
