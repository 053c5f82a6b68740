import { lineJob } from '../../ndjson-batch/line-job.ts'
import { caseDifference } from '../algorithm/case-difference.ts'
import { parseInputMap } from '../algorithm/parse.ts'
import { compiledFor, type StageLines } from './stage-lines.ts'

/** The input for staging the cases of a batch twice. */
interface DifferenceLines extends StageLines {
  readonly before: StageLines['version']
  /** Outputs to leave out of the comparison. */
  readonly ignored: readonly string[]
}

/** Compares the results of two versions for the case in each line. */
export const differenceLinesJob = lineJob<DifferenceLines>('staging.differences', (by, scratch) => {
  const before = compiledFor({ ...by, version: by.before }, scratch)
  const after = compiledFor(by, scratch)
  const ignored = new Set(by.ignored)
  return (line) => JSON.stringify(caseDifference(before, after, parseInputMap(line), ignored))
})
