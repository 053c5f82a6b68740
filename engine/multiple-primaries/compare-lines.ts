import { KeptFew } from '../kept-few.ts'
import { type AnswerLine, lineJob } from '../line-batch/line-job.ts'
import { comparePair } from './compare-pair.ts'
import { compileRules, type TablesText } from './current-rules.ts'
import type { Rules } from './rules.ts'
import { parsePair } from './tumour.ts'

/** By what the pairs of a batch are compared. */
export interface CompareLines {
  readonly tables: TablesText
  /** The current year. */
  readonly year: number
}

/** Compares the pair of each line. */
export const compareLinesJob = lineJob<CompareLines>(
  'multiple-primaries.lines',
  ({ tables, year }, scratch) => {
    const kept = scratch.kept('multiple primaries', () => new KeptFew<Rules>(KEPT_RULES))
    return compareLine(kept.of(`${tables.key} ${year}`, () => compileRules(tables, () => year)))
  },
)

/** Those of batches that began before an import, and of those that began after it. */
const KEPT_RULES = 2

/** What a thread does with each line. */
export function compareLine(rules: Rules): AnswerLine {
  return (line) => JSON.stringify(comparePair(rules, parsePair(line)))
}
