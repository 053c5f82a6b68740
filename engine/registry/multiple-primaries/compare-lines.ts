import { LruCache } from '../../shared/concurrency/lru-cache.ts'
import { type AnswerLine, lineJob } from '../ndjson-batch/line-job.ts'
import { comparePair } from './compare-pair.ts'
import { compileRules, type TablesText } from './current-rules.ts'
import type { AppliedRule, MphResult } from './result.ts'
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
    const cache = scratch.cached(
      'multiple primaries',
      () => new LruCache<AnswerLine>(MAX_CACHED_RULES),
    )
    return cache.of(`${tables.key} ${year}`, () => compareLine(compileRules(tables, () => year)))
  },
)

/** Those of batches that began before an import, and of those that began after it. */
const MAX_CACHED_RULES = 2

/** What a thread does with each line. */
export function compareLine(rules: Rules): AnswerLine {
  // A module has one list for each of its rules, and they are most of an answer.
  const texts = new WeakMap<readonly AppliedRule[], string>()
  const textOf = (applied: readonly AppliedRule[]) => {
    const text = texts.get(applied) ?? JSON.stringify(applied)
    texts.set(applied, text)
    return text
  }
  return (line) => {
    const { applied_rules, ...rest }: MphResult = comparePair(rules, parsePair(line))
    return `${JSON.stringify(rest).slice(0, -1)},"applied_rules":${textOf(applied_rules)}}`
  }
}
