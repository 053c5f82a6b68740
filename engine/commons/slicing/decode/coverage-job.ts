import type { Job } from '../../../shared/executor.ts'
import { Depth, type DepthBins, type DepthRange, type DepthState } from './depth.ts'
import { type RecordBytes, walkRecords } from './walk.ts'

interface CoverageInput extends RecordBytes {
  readonly referenceCount: number
  readonly range: DepthRange
  readonly bins: DepthBins
  readonly state: DepthState
  /** Whether no further records follow. */
  readonly isLast: boolean
}

interface CoverageOutput {
  readonly rest: Uint8Array<ArrayBuffer>
  readonly state: DepthState
  /** Number of reads that count. */
  readonly reads: number
}

/** Adds the records of some blocks to the depth of a range, whose bins are in shared memory. */
export const coverageJob: Job<CoverageInput, CoverageOutput> = {
  name: 'slicing.coverage',
  transfer: ({ rest }) => [rest.buffer],
  async run({ referenceCount, range, bins, state, isLast, ...bytes }) {
    const depth = new Depth(range, bins, state)
    let reads = 0
    const rest = await walkRecords(bytes, referenceCount, (record) => {
      if (depth.add(record)) reads++
      return true
    })
    if (isLast) depth.finish()
    return { rest, state: depth.state, reads }
  },
}
