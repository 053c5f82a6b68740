import { LruCache } from '../../shared/concurrency/lru-cache.ts'
import type { Scratch } from '../../shared/executor.ts'
import { type AnswerLine, lineJob } from '../ndjson-batch/line-job.ts'
import { comparePair } from './compare-pair.ts'
import { compileRules, type TablesText } from './current-rules.ts'
import { doubtsOfPair } from './doubts.ts'
import type { AppliedRule, MphResult } from './result.ts'
import type { Rules } from './rules.ts'
import { parsePair } from './tumour.ts'

/** The tables and the year by which a batch compares pairs. */
export interface CompareLines {
  readonly tables: TablesText
  /** Current year, to detect years in the future. */
  readonly year: number
}

/** Compares the pair of tumors in each line. */
export const compareLinesJob = lineJob<CompareLines>(
  'multiple-primaries.lines',
  (by, scratch) => comparerFor(by, scratch).answer,
)

/** The compiled rules of a thread. */
interface Comparer {
  readonly rules: Rules
  readonly answer: AnswerLine
}

/** Returns the thread's comparer, which is cached across chunks. */
export function comparerFor({ tables, year }: CompareLines, scratch: Scratch): Comparer {
  const cache = scratch.cached('multiple primaries', () => new LruCache<Comparer>(MAX_CACHED_RULES))
  return cache.of(`${tables.key} ${year}`, () => {
    const rules = compileRules(tables, () => year)
    return { rules, answer: compareLine(rules) }
  })
}

/** Maximum number of cached rules. Batches may use the rules from before an import, or those from after it. */
const MAX_CACHED_RULES = 2

/** Creates the function that a thread applies to each line. */
export function compareLine(rules: Rules): AnswerLine {
  // The list of a module's rules is most of a result and the same for all pairs, so its JSON is cached.
  const texts = new WeakMap<readonly AppliedRule[], string>()
  const textOf = (applied: readonly AppliedRule[]) => {
    const text = texts.get(applied) ?? JSON.stringify(applied)
    texts.set(applied, text)
    return text
  }
  return (line) => {
    const pair = parsePair(line)
    const { applied_rules, ...rest }: MphResult = comparePair(rules, pair)
    const warnings = doubtsOfPair(pair, rules.yearNow())
    const answer = warnings.length > 0 ? { ...rest, warnings } : rest
    return `${JSON.stringify(answer).slice(0, -1)},"applied_rules":${textOf(applied_rules)}}`
  }
}
