import { type Bits, hasBit } from '../../../shared/arrays/bitset.ts'
import type { Job } from '../../../shared/executor.ts'
import type { Bare } from '../../datasets/case-gene.ts'
import { countCodes } from '../../query/histogram.ts'
import { keysOfFilter } from '../../query/keys.ts'
import { selectRows } from '../../query/select.ts'
import { bitsOf } from '../../query/selection.ts'
import { arraysOf } from '../../release/arrays.ts'
import { levelKey, linkKey } from '../../release/layout.ts'
import type { ArrayKey, Link, LoadedArrays, ReleaseArrays } from '../../release/loaded.ts'
import type { PairConditions } from './conditions.ts'
import { eachPair } from './sides.ts'

/** Query for a page of the cases or genes with the most pairs. */
export interface TopQuery extends PairConditions {
  readonly by: Bare
  readonly from: number
  readonly size: number
}

export interface Top {
  /** Number of records with at least one pair. */
  readonly total: number
  /** Rows of the page, by descending number of pairs, then by id. */
  readonly rows: Uint32Array
  /** Number of pairs for each entry of `rows`. */
  readonly scores: Uint32Array
}

const BOTH = ['case', 'gene'] as const

const RECORDS = { case: 'cases', gene: 'genes' } as const

/** Returns the keys of all arrays that the query may read, so that they can be loaded. */
export function keysOfTop({
  pairs,
  sides,
  records,
  cohort,
  withSsm,
}: TopQuery): readonly ArrayKey[] {
  const conditions = sides ? [sides.case, sides.gene] : [pairs, cohort]
  return [
    ...conditions.flatMap((filter) => keysOfFilter(filter)),
    ...keysOfFilter(records),
    ...BOTH.map((at) => linkKey('case_genes', at)),
    ...(withSsm ? [levelKey('case_genes', 'ssm')] : []),
  ]
}

/** Returns a page of the cases or genes with the most matching pairs (data-commons.md 6.9). */
export function topOf(query: TopQuery, arrays: ReleaseArrays): Top {
  const { cohort, sides } = query
  const cases = cohort && !sides ? selectRows('cases', cohort, [], arrays).rows.bits : undefined
  return pageOf(scoresOf(query, arrays, cases), query)
}

/**
 * Returns the number of matching pairs by row of the case or gene.
 * @param cohort cases whose pairs are counted; undefined means all
 */
export function scoresOf(query: TopQuery, arrays: ReleaseArrays, cohort?: Bits): Uint32Array {
  const { by, records } = query
  const link = arrays.link('case_genes', by)
  if (!link) return new Uint32Array(0)
  const scores = countPairs(query, link, { arrays, cohort })
  if (records) dropOthers(scores, bitsOf(selectRows(RECORDS[by], records, [], arrays).rows))
  return scores.subarray(1)
}

/** Returns the number of matching pairs, indexed by row plus one, because links store rows in this form. */
function countPairs(
  { by, pairs, sides, withSsm }: TopQuery,
  { targets }: Link,
  { arrays, cohort }: { readonly arrays: ReleaseArrays; readonly cohort: Bits | undefined },
): Uint32Array {
  const rows = arrays.rows(RECORDS[by])
  const counts = new Uint32Array(rows + 1)
  const ssm = withSsm ? arrays.level('case_genes', 'ssm') : undefined
  const [cases, genes] = BOTH.map((at) => arrays.link('case_genes', at))
  if (!cases || !genes || (withSsm && !ssm)) return counts
  const add = (pair: number) => {
    // Pairs whose gene has no record have target 0 and do not count.
    if (genes.targets[pair] === 0) return
    if (ssm && ssm.offsets[pair] === ssm.offsets[pair + 1]) return
    if (cohort && !hasBit(cohort, cases.targets[pair]! - 1)) return
    const target = targets[pair]!
    counts[target] = counts[target]! + 1
  }
  if (sides) {
    eachPair(sides, { case: cases, gene: genes }, arrays, add)
    return counts
  }
  const { bits } = selectRows('case_genes', pairs, [], arrays).rows
  if (!withSsm && by === 'gene' && !cohort) return countCodes({ codes: targets }, bits, rows)
  if (bits) eachMember(bits, add)
  else for (let pair = 0; pair < targets.length; pair++) add(pair)
  return counts
}

function eachMember(bits: Bits, see: (member: number) => void): void {
  for (let w = 0; w < bits.length; w++) {
    const base = w << 5
    for (let word = bits[w]!; word !== 0; word &= word - 1) {
      see(base + 31 - Math.clz32(word & -word))
    }
  }
}

function dropOthers(scores: Uint32Array, passing: Bits): void {
  for (let row = 0; row + 1 < scores.length; row++) {
    if (!hasBit(passing, row)) scores[row + 1] = 0
  }
}

/** Returns a page of the rows with a score, highest first. Rows with equal scores stay in order of id. */
function pageOf(scores: Uint32Array, { from, size }: Pick<TopQuery, 'from' | 'size'>): Top {
  const records = recordsByScore(scores)
  const total = records.reduce((sum, count) => sum + count, 0)
  // Finds the lowest score on this page and all earlier pages.
  let least = records.length
  for (let better = 0; least > 1 && better < from + size; ) better += records[--least]!
  const found: number[] = []
  for (let row = 0; row < scores.length; row++) {
    if (scores[row]! >= least) found.push(row)
  }
  found.sort((a, b) => scores[b]! - scores[a]!)
  const rows = Uint32Array.from(found.slice(from, from + size))
  return { total, rows, scores: rows.map((row) => scores[row]!) }
}

/** Returns the number of rows with each score. Entry 0 is 0. */
function recordsByScore(scores: Uint32Array): Uint32Array {
  let most = 0
  for (let row = 0; row < scores.length; row++) {
    const score = scores[row]!
    if (score > most) most = score
  }
  // Alternates two counters, because incrementing a number that was just written stalls.
  const counts = new Uint32Array(most + 1)
  const others = new Uint32Array(most + 1)
  for (let row = scores.length & 1; row < scores.length; row += 2) {
    const [one, other] = [scores[row]!, scores[row + 1]!]
    counts[one] = counts[one]! + 1
    others[other] = others[other]! + 1
  }
  if (scores.length & 1) {
    const first = scores[0]!
    counts[first] = counts[first]! + 1
  }
  counts[0] = 0
  for (let score = 1; score <= most; score++) {
    counts[score] = counts[score]! + others[score]!
  }
  return counts
}

interface TopInput {
  readonly query: TopQuery
  readonly loaded: LoadedArrays
}

export const topJob: Job<TopInput, Top> = {
  name: 'mutation-counts.top',
  run: ({ query, loaded }) => topOf(query, arraysOf(loaded)),
  transfer: ({ rows, scores }) => [rows.buffer as ArrayBuffer, scores.buffer as ArrayBuffer],
}
