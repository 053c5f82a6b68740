import { lineJob } from '../../ndjson-batch/line-job.ts'
import { caseDifference } from '../algorithm/case-difference.ts'
import { parseInputMap } from '../algorithm/parse.ts'
import { compiledFor, type StageLines } from './stage-lines.ts'

/** By what the cases of a batch are staged twice. */
export interface DifferenceLines extends StageLines {
  readonly before: StageLines['version']
  /** Outputs that do not count. */
  readonly ignored: readonly string[]
}

/** Tells of the case of each line what becomes of it by two versions. */
export const differenceLinesJob = lineJob<DifferenceLines>('staging.differences', (by, scratch) => {
  const before = compiledFor({ ...by, version: by.before }, scratch)
  const after = compiledFor(by, scratch)
  const ignored = new Set(by.ignored)
  return (line) => JSON.stringify(caseDifference(before, after, parseInputMap(line), ignored))
})
