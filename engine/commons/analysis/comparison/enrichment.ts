import { countBits, intersect } from '../../../shared/arrays/bitset.ts'
import { EngineError } from '../../../shared/errors.ts'
import type { Job } from '../../../shared/executor.ts'
import { quotedName } from '../../../shared/input/near-name.ts'
import { arraysOf } from '../../release/arrays.ts'
import { columnKey } from '../../release/layout.ts'
import type { ArrayKey, LoadedArrays, ReleaseArrays } from '../../release/loaded.ts'
import { jsonOf } from '../../render/values.ts'
import { type CountedChange, isChangedBy, testedFor } from '../mutation-counts/changed-cases.ts'
import { type GeneName, geneNameOf } from '../mutation-counts/gene-names.ts'
import { PAIR_LINK_KEYS, pairLinks } from '../mutation-counts/gene-pairs.ts'
import { PAIR_CHANGE_KEYS, pairChangesOf } from '../mutation-counts/pair-changes.ts'
import { TESTED_KEYS } from '../mutation-counts/tested-cases.ts'
import { adjustedPValues } from '../statistics/adjusted-p-values.ts'
import { type CaseGroups, groupMasks } from './case-groups.ts'
import type { GroupTest } from './compared-field.ts'
import { testShares } from './group-tests.ts'

export interface EnrichmentQuery {
  readonly change: CountedChange
  /** Names of the copy-number changes that count, in any letter case. Empty counts all. */
  readonly copyNumbers: readonly string[]
  /** Genes that are changed in fewer tested cases of all groups are neither tested nor listed. */
  readonly minCases: number
  readonly from: number
  /** Maximum number of listed genes. All are tested. */
  readonly size: number
}

interface EnrichedGene extends GeneName {
  /** Number of tested cases in which the gene is changed, by group. */
  readonly counts: readonly number[]
  /** `counts` divided by the tested cases of the group. Null for a group without tested cases. */
  readonly shares: readonly (number | null)[]
  readonly test: (GroupTest & { readonly q_value: number }) | null
}

interface EnrichmentInput {
  readonly loaded: LoadedArrays
  readonly groups: CaseGroups
  readonly query: EnrichmentQuery
  readonly pretty: boolean
}

/** Keys of all arrays that an enrichment reads. */
export const ENRICHMENT_KEYS: readonly ArrayKey[] = Object.freeze([
  ...PAIR_CHANGE_KEYS,
  ...TESTED_KEYS,
  ...PAIR_LINK_KEYS,
  columnKey('genes', 'gene_id'),
  columnKey('genes', 'symbol'),
])

/**
 * Tests for each gene whether it is changed in the same share of the tested cases of each group.
 * @throws EngineError bad_input if no copy-number change of the release has one of the given names
 */
export const enrichmentJob: Job<EnrichmentInput, Uint8Array<ArrayBuffer>> = {
  name: 'comparison.enrichment',
  run({ loaded, groups, query, pretty }) {
    const arrays = arraysOf(loaded)
    requireNames(query.copyNumbers, pairChangesOf(arrays).copyNumbers)
    const tested = testedGroups(groups, query.change, arrays)
    const counts = countChanged(tested, query, arrays)
    return jsonOf(enrichmentOf(counts, tested, query, arrays), { pretty })
  },
  transfer: (bytes) => [bytes.buffer],
}

function requireNames(given: readonly string[], known: readonly string[]): void {
  const folded = new Set(known.map((name) => name.toLowerCase()))
  const unknown = given.find((name) => !folded.has(name.toLowerCase()))
  if (unknown === undefined) return
  const message = `the release has no copy-number change ${quotedName(unknown)}; it has ${known.join(', ') || 'none'}`
  throw new EngineError('bad_input', message, { at: 'copy_numbers' })
}

interface TestedGroups extends CaseGroups {
  /** Number of tested cases of each group. */
  readonly tested: readonly number[]
}

/** Returns the groups without the cases that were not tested for the changes. */
function testedGroups(
  groups: CaseGroups,
  change: CountedChange,
  arrays: ReleaseArrays,
): TestedGroups {
  const bits = groups.bits.map((own, i) => {
    const selection = { size: groups.size, count: groups.counts[i]!, bits: own }
    const tested = testedFor(change, selection, arrays)
    return tested ? intersect(tested, own) : own.slice().fill(0)
  })
  return { ...groups, bits, tested: bits.map(countBits) }
}

/** Returns the number of tested cases in which each gene is changed: the groups of the first gene, then the next. */
function countChanged(
  groups: TestedGroups,
  { change, copyNumbers }: EnrichmentQuery,
  arrays: ReleaseArrays,
): Uint32Array {
  const width = groups.bits.length
  const counts = new Uint32Array(arrays.rows('genes') * width)
  const links = pairLinks(arrays)
  if (!links) return counts
  const masks = groupMasks(groups)
  const isChanged = isChangedBy(change, pairChangesOf(arrays), copyNumbers)
  const [cases, genes] = [links.case.targets, links.gene.targets]
  for (let pair = 0; pair < cases.length; pair++) {
    const mask = cases[pair] === 0 ? 0 : masks[cases[pair]! - 1]!
    const gene = genes[pair]! - 1
    if (mask === 0 || gene < 0 || !isChanged(pair)) continue
    for (let group = 0, left = mask; left > 0; group++, left >>>= 1) {
      if ((left & 1) === 1) counts[gene * width + group]!++
    }
  }
  return counts
}

function enrichmentOf(
  counts: Uint32Array,
  groups: TestedGroups,
  { minCases, from, size }: EnrichmentQuery,
  arrays: ReleaseArrays,
) {
  const { tested, overlaps } = groups
  const width = tested.length
  const countsOf = (row: number) => Array.from(counts.subarray(row * width, (row + 1) * width))
  const sumOf = (row: number) => countsOf(row).reduce((sum, count) => sum + count, 0)
  const rows = Array.from({ length: arrays.rows('genes') }, (_, row) => row).filter(
    (row) => sumOf(row) >= Math.max(1, minCases),
  )
  const isTested = overlaps.length === 0
  const tests = rows.map((row) => (isTested ? testShares(countsOf(row), tested) : null))
  const pValues = Float64Array.from(tests, (test) => test?.p_value ?? Number.NaN)
  const adjusted = adjustedPValues(pValues)
  // Genes without a test come last, those of the most cases first. Rows are in the order of gene ids.
  const order = Array.from(rows.keys()).sort(
    (one, other) =>
      (tests[one]?.p_value ?? 2) - (tests[other]?.p_value ?? 2) ||
      sumOf(rows[other]!) - sumOf(rows[one]!) ||
      one - other,
  )
  const genes = order.slice(from, from + size).map((place): EnrichedGene => {
    const own = countsOf(rows[place]!)
    const test = tests[place]
    return {
      ...geneNameOf(rows[place]!, arrays),
      counts: own,
      shares: own.map((count, i) => (tested[i]! > 0 ? count / tested[i]! : null)),
      test: test ? { ...test, q_value: adjusted[place]! } : null,
    }
  })
  return {
    groups: groups.counts.map((cases, i) => ({ cases, tested: tested[i]! })),
    overlaps,
    genes_total: rows.length,
    genes,
  }
}
