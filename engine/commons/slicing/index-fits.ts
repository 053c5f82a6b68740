import { type BinIndex, referenceBegin } from '../../shared/formats/bam-index.ts'
import { lowerBlock, type StoredDirectory } from './directory.ts'
import { unpackOffset } from './locate.ts'

/**
 * Whether an index has for each reference the place of its first record, and none for those without
 * records: that of another file has not.
 */
export function indexFits(index: BinIndex, directory: StoredDirectory): boolean {
  const { referenceRun, blockOffset, runBlock, runInner } = directory
  for (let reference = 0; reference + 2 < referenceRun.length; reference++) {
    const run = referenceRun[reference]!
    const begin = referenceBegin(index, reference)
    const hasRecords = run < referenceRun[reference + 1]!
    if (hasRecords !== (begin !== undefined)) return false
    if (begin === undefined) continue
    const { block, inner } = unpackOffset(begin)
    const row = lowerBlock(blockOffset, block)
    const isThere = row === runBlock[run] && (inner === runInner[run] || blockOffset[row] !== block)
    // Some writers name the end of a block and not the start of the next one.
    const isBehind = row + 1 === runBlock[run] && runInner[run] === 0 && inner > 0
    if (!isThere && !isBehind) return false
  }
  return true
}
