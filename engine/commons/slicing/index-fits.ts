import { LoopTurns } from '../../shared/concurrency/loop-turns.ts'
import { type BinIndex, chunksAt, floorAt, referenceBegin } from '../../shared/formats/bam-index.ts'
import { type Directory, lowerRow, runsOfReference } from './directory.ts'
import { unpackOffset } from './locate.ts'

/** Length in bases of the smallest bins of most indexes. */
const WINDOW_BASES = 1 << 14

/**
 * Returns which records of a file an index fails to find, or undefined if it finds all. An index of another
 * file, or of an earlier version of this file, fails. For each block in the directory, the extreme positions of
 * its records are looked up in the index.
 */
export function indexFault(
  index: BinIndex,
  directory: Directory,
  names: readonly string[],
): Promise<string | undefined> {
  return new LoopTurns().run(faultOf(index, directory, names))
}

function* faultOf(
  index: BinIndex,
  directory: Directory,
  names: readonly string[],
): Generator<void, string | undefined> {
  for (const [reference, name] of names.entries()) {
    const [first, next] = runsOfReference(directory, reference)
    const begin = referenceBegin(index, reference)
    if (first < next !== (begin !== undefined)) {
      return begin === undefined
        ? `it has none of the records of "${name}"`
        : `it has records of "${name}", and the file has none`
    }
    if (begin === undefined) continue
    if (!beginsAt(directory, first, begin)) {
      return `it has the first record of "${name}" in another place than the file`
    }
    const end = lastEnd(index, reference)
    if (end <= beginOf(directory, next - 1)) {
      return `it ends before the file does: at ${name}:${directory.runFirst.at(next - 1)! + 1} and behind it finds nothing`
    }
    if (!reachesRun(directory, next, end)) {
      return `it ends before the file does: it lacks the last records of "${name}"`
    }
    yield
    const position = yield* unfound(index, directory, reference)
    if (position !== undefined) return `it does not find what is at ${name}:${position + 1}`
  }
  return undefined
}

/** Returns the position of a record that a reader of the index would miss. */
function* unfound(
  index: BinIndex,
  directory: Directory,
  reference: number,
): Generator<void, number | undefined> {
  const { runFirst, runEnd, runUnmapped } = directory
  const [low, high] = runsOfReference(directory, reference)
  let window = -1
  for (let run = low; run < high; run++) {
    const begin = beginOf(directory, run)
    const end = beginOf(directory, run + 1)
    // Like htslib, the linear index leaves out unmapped reads.
    const hasFloor = runUnmapped !== undefined && runUnmapped.at(run) === 0
    for (const position of [runFirst.at(run)!, runEnd.at(run)! - 1]) {
      const here = Math.floor(position / WINDOW_BASES)
      if (position < 0 || here === window) continue
      window = here
      const floor = hasFloor ? floorAt(index, reference, position) : 0n
      const isFound = chunksAt(index, reference, position).some(
        ([from, to]) => from < end && to > begin && to > floor && floor < end,
      )
      if (!isFound) return position
    }
    yield
  }
  return undefined
}

/** Returns the virtual offset of a run, or of the end of the file. */
function beginOf({ blockOffset, runBlock, runInner }: Directory, run: number): bigint {
  const row = run < runBlock.length ? runBlock.at(run)! : blockOffset.length - 1
  return (BigInt(blockOffset.at(row)!) << 16n) | BigInt(runInner.at(run) ?? 0)
}

/** Returns whether a chunk that ends at this offset may reach the start of a run. */
function reachesRun(directory: Directory, run: number, end: bigint): boolean {
  const begin = beginOf(directory, run)
  if (end >= begin) return true
  const { block, inner } = unpackOffset(begin)
  const { blockOffset, blockLength } = directory
  const before = lowerRow(blockOffset, block) - 1
  if (inner > 0 || before < 0) return false
  // Some writers end a chunk at the end of a block, or in an empty block, instead of at the start of the next block.
  const last = unpackOffset(end)
  const isAtEnd = last.block === blockOffset.at(before) && last.inner > 0
  return isAtEnd || last.block >= blockOffset.at(before)! + blockLength.at(before)!
}

function lastEnd(index: BinIndex, reference: number): bigint {
  let greatest = 0n
  const first = index.chunkStart[index.binStart[reference]!]!
  const last = index.chunkStart[index.binStart[reference + 1]!]!
  for (let c = first; c < last; c++) {
    const end = index.chunks[2 * c + 1]!
    if (end > greatest) greatest = end
  }
  return greatest
}

function beginsAt(
  { blockOffset, runBlock, runInner }: Directory,
  run: number,
  begin: bigint,
): boolean {
  const { block, inner } = unpackOffset(begin)
  const row = lowerRow(blockOffset, block)
  const isThere =
    row === runBlock.at(run) && (inner === runInner.at(run) || blockOffset.at(row) !== block)
  // Some writers end a chunk at the end of a block instead of at the start of the next block.
  return isThere || (row + 1 === runBlock.at(run) && runInner.at(run) === 0 && inner > 0)
}
