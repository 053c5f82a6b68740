import {
  type Bits,
  countBits,
  hasBit,
  intersect,
  newBits,
  setBit,
} from '../../../shared/arrays/bitset.ts'
import type { Job } from '../../../shared/executor.ts'
import type { Filter } from '../../query/filter-tree.ts'
import { keysOfFilter } from '../../query/keys.ts'
import { selectRows } from '../../query/select.ts'
import type { Selection } from '../../query/selection.ts'
import { arraysOf } from '../../release/arrays.ts'
import { columnKey, linkKey } from '../../release/layout.ts'
import type { ArrayKey, LoadedArrays, ReleaseArrays } from '../../release/loaded.ts'
import { spelledText } from '../../release/spelling.ts'
import { inCohort, type PairConditions } from './conditions.ts'
import { PAIR_LINK_KEYS, type PairLinks, pairLinks, pairsOfGene } from './gene-pairs.ts'
import { PAIR_CHANGE_KEYS, type PairChanges, pairChangesOf } from './pair-changes.ts'
import { type ChangeKind, TESTED_KEYS, testedCases } from './tested-cases.ts'
import { keysOfTop, scoresOf } from './top.ts'

/** Query for a table of genes or mutations with the number of cases that have them. */
export interface FrequencyQuery {
  /** Filter on cases. The matching cases are the denominators. */
  readonly cohort?: Filter | undefined
  /** Filter on mutation occurrences. Only matching occurrences are counted. */
  readonly occurrences?: Filter | undefined
  readonly of:
    | { readonly records: 'genes'; readonly pairs: PairConditions }
    | {
        readonly records: 'ssms'
        readonly geneId?: string | undefined
        readonly caseId?: string | undefined
      }
}

/**
 * Genes or mutations with at least one affected case in the cohort, by descending number of cases, then by id.
 * All arrays of counts are in the order of `rows`.
 */
export interface Frequencies {
  readonly rows: Uint32Array
  /** Number of affected cases in the cohort, by row. */
  readonly cohort: Uint32Array
  /** Number of affected cases in the whole release, by row. The filter on mutations does not apply. */
  readonly all: Uint32Array
  /** Numbers for genes only: cases with a copy-number gain, cases with a loss, and distinct mutations. */
  readonly gains: Uint32Array
  readonly losses: Uint32Array
  readonly mutations: Uint32Array
  readonly tested: {
    /** Denominators: cases tested for mutations or, in a table for one gene, cases with a mutation in it. */
    readonly cohort: number
    readonly all: number
    readonly copies: number
  }
  /** Project whose cases are the cohort, and symbol of the gene, if the table is restricted to them. */
  readonly project?: string | undefined
  readonly symbol?: string | undefined
}

const OCCURRENCES = 'ssm_occurrences'

/** Returns the keys of all arrays that the query may read, so that they can be loaded. */
export function keysOfFrequencies({
  cohort,
  occurrences,
  of,
}: FrequencyQuery): readonly ArrayKey[] {
  return [
    ...[cohort, occurrences].flatMap((filter) => keysOfFilter(filter)),
    ...TESTED_KEYS,
    ...PAIR_CHANGE_KEYS,
    ...PAIR_LINK_KEYS,
    ...(of.records === 'genes' ? keysOfTop({ ...of.pairs, ...NO_PAGE }) : []),
    linkKey(OCCURRENCES, 'case'),
    linkKey('cases', 'project'),
    columnKey('cases', 'case_id'),
    columnKey('projects', 'project_id'),
    columnKey('genes', 'gene_id'),
    columnKey('genes', 'symbol'),
  ]
}

const NO_PAGE = { by: 'gene', from: 0, size: 0 } as const

/**
 * Counts affected cases of each gene or mutation (data-commons.md 6.11). `cohort` selects the cases.
 * `occurrences` and the conditions on pairs select the changes that are counted.
 */
function frequenciesOf(query: FrequencyQuery, arrays: ReleaseArrays): Frequencies {
  const { of } = query
  return of.records === 'genes'
    ? genesOf({ ...query, of }, arrays)
    : mutationsOf({ ...query, of }, arrays)
}

type Of<Records> = FrequencyQuery & { readonly of: { readonly records: Records } }

function genesOf(
  { cohort, occurrences, of: { pairs } }: Of<'genes'>,
  arrays: ReleaseArrays,
): Frequencies {
  const cases = selectRows('cases', cohort, [], arrays).rows
  const links = pairLinks(arrays)
  const sides = inCohort(pairs, cohort)
  const scores = scoresOf({ ...pairs, sides, ...NO_PAGE }, arrays, cases.bits)
  const rows = rowsByScore(scores)
  const changes = pairChangesOf(arrays, ['cnv_change'])
  const counting = links && { links, changes, selected: selectedOccurrences(occurrences, arrays) }
  const counts = counting ? Array.from(rows, (row) => countGene(row, cases.bits, counting)) : []
  const column = (of: (count: GeneCount) => number) => Uint32Array.from(counts.map(of))
  return {
    rows,
    cohort: Uint32Array.from(rows, (row) => scores[row]!),
    all: column(({ all }) => all),
    gains: column(({ gains }) => gains),
    losses: column(({ losses }) => losses),
    mutations: column(({ mutations }) => mutations),
    tested: testedOf(cases, arrays),
  }
}

interface GeneCount {
  readonly all: number
  readonly gains: number
  readonly losses: number
  readonly mutations: number
}

interface GeneCounting {
  readonly links: PairLinks
  readonly changes: PairChanges
  readonly selected: Bits | undefined
}

function countGene(
  row: number,
  cases: Bits | undefined,
  { links, changes, selected }: GeneCounting,
): GeneCount {
  let [all, gains, losses] = [0, 0, 0]
  const mutations = new Set<number>()
  const { reverseOffsets, reverseElements } = links.gene
  for (let i = reverseOffsets[row]!; i < reverseOffsets[row + 1]!; i++) {
    const pair = reverseElements[i]!
    const target = links.case.targets[pair]!
    if (target === 0) continue
    if (changes.isMutated(pair)) all++
    if (cases && !hasBit(cases, target - 1)) continue
    changes.eachMutation(pair, (ssm, occurrence) => {
      if (!selected || hasBit(selected, occurrence)) mutations.add(ssm)
    })
    const copies = new Set<string>()
    changes.eachCopyNumber(pair, (at) => copies.add(changes.copyNumbers[at]?.toLowerCase() ?? ''))
    gains += Number(copies.has('gain'))
    losses += Number(copies.has('loss'))
  }
  return { all, gains, losses, mutations: mutations.size }
}

function mutationsOf(
  { cohort, occurrences, of: { geneId, caseId } }: Of<'ssms'>,
  arrays: ReleaseArrays,
): Frequencies {
  const chosen = selectRows('cases', cohort, [], arrays).rows
  const one = caseId === undefined ? undefined : projectOfCase(caseId, arrays)
  const bits = one?.cases && (chosen.bits ? intersect(one.cases, chosen.bits) : one.cases)
  const cases: Selection = bits ? { size: chosen.size, count: countBits(bits), bits } : chosen
  const selected = selectedOccurrences(occurrences, arrays)
  const cohortCounts = countCases(
    arrays,
    (at, row) => (!selected || hasBit(selected, at)) && (!cases.bits || hasBit(cases.bits, row)),
  )
  if (one) keepThoseOf(one.row, cohortCounts, selected, arrays)
  const rows = rowsByScore(cohortCounts)
  const all = countCases(arrays, () => true)
  const none = new Uint32Array(0)
  const tested = testedOf(cases, arrays)
  const gene = geneId === undefined ? undefined : geneOf(geneId, cases.bits, arrays)
  return {
    rows,
    cohort: Uint32Array.from(rows, (row) => cohortCounts[row]!),
    all: Uint32Array.from(rows, (row) => all[row]!),
    gains: none,
    losses: none,
    mutations: none,
    tested: gene ? { ...tested, cohort: gene.mutated } : tested,
    project: one?.project,
    symbol: gene?.symbol,
  }
}

/** Returns the mutation occurrences that match the filter. Undefined means all. */
const selectedOccurrences = (filter: Filter | undefined, arrays: ReleaseArrays): Bits | undefined =>
  selectRows(OCCURRENCES, filter, [], arrays).rows.bits

/** Returns the number of distinct cases of each mutation, over the selected occurrences. */
function countCases(
  arrays: ReleaseArrays,
  counts: (occurrence: number, row: number) => boolean,
): Uint32Array {
  const scores = new Uint32Array(arrays.rows('ssms'))
  const ofMutation = arrays.link(OCCURRENCES, 'ssm')
  const ofCase = arrays.link(OCCURRENCES, 'case')?.targets
  if (!ofMutation || !ofCase) return scores
  const { reverseOffsets, reverseElements } = ofMutation
  // For each case, the last mutation for which it was counted.
  const last = new Uint32Array(arrays.rows('cases') + 1)
  for (let row = 0; row < scores.length; row++) {
    for (let i = reverseOffsets[row]!; i < reverseOffsets[row + 1]!; i++) {
      const at = reverseElements[i]!
      const target = ofCase[at]!
      if (target === 0 || last[target] === row + 1 || !counts(at, target - 1)) continue
      last[target] = row + 1
      scores[row] = scores[row]! + 1
    }
  }
  return scores
}

/** Sets the scores of mutations that a given case does not have to zero. */
function keepThoseOf(
  row: number,
  scores: Uint32Array,
  selected: Bits | undefined,
  arrays: ReleaseArrays,
): void {
  const ofCase = arrays.link(OCCURRENCES, 'case')
  const ofMutation = arrays.link(OCCURRENCES, 'ssm')?.targets
  const own = newBits(scores.length)
  if (ofCase && ofMutation) {
    for (let i = ofCase.reverseOffsets[row]!; i < ofCase.reverseOffsets[row + 1]!; i++) {
      const at = ofCase.reverseElements[i]!
      const target = ofMutation[at]!
      if (target > 0 && (!selected || hasBit(selected, at))) setBit(own, target - 1)
    }
  }
  for (let ssm = 0; ssm < scores.length; ssm++) if (!hasBit(own, ssm)) scores[ssm] = 0
}

/** Returns the cases of the project to which a case belongs. If the case has no project, returns only the case. */
function projectOfCase(caseId: string, arrays: ReleaseArrays) {
  const row = (arrays.column('cases', 'case_id')?.dictionary.find(caseId) ?? 0) - 1
  const cases = newBits(arrays.rows('cases'))
  if (row < 0) return { row: 0, cases, project: undefined }
  const targets = arrays.link('cases', 'project')?.targets
  const project = targets?.[row] ?? 0
  if (!targets || project === 0) setBit(cases, row)
  else for (let i = 0; i < targets.length; i++) if (targets[i] === project) setBit(cases, i)
  const ids = arrays.column('projects', 'project_id')?.dictionary
  return { row, cases, project: project > 0 ? ids?.text(project) : undefined }
}

/** Returns a gene with the number of selected cases that have a simple mutation in it. */
function geneOf(geneId: string, cases: Bits | undefined, arrays: ReleaseArrays) {
  const code = arrays.column('genes', 'gene_id')?.dictionary.find(geneId) ?? 0
  const links = pairLinks(arrays)
  const { isMutated } = pairChangesOf(arrays)
  const pairs = links && code > 0 ? pairsOfGene(code - 1, cases, links) : []
  const symbols = arrays.column('genes', 'symbol')
  const symbol = symbols?.codes?.[code - 1] ?? 0
  return {
    mutated: pairs.reduce((sum, { pair }) => sum + Number(isMutated(pair)), 0),
    symbol: symbols && symbol > 0 ? spelledText(symbols, symbol) : geneId,
  }
}

function testedOf(cases: Selection, arrays: ReleaseArrays): Frequencies['tested'] {
  const count = (kind: ChangeKind, of: Selection) => {
    const tested = testedCases(kind, of, arrays)
    return tested ? countBits(tested) : 0
  }
  const everybody = { size: cases.size, count: cases.size }
  return {
    cohort: count('ssm', cases),
    all: count('ssm', everybody),
    copies: count('cnv', cases),
  }
}

/** Returns the rows with a score above 0, highest score first. Rows with equal scores stay in order of id. */
function rowsByScore(scores: Uint32Array): Uint32Array {
  const most = scores.reduce((highest, score) => Math.max(highest, score), 0)
  // Counting sort: index at which rows with each score start.
  const starts = new Uint32Array(most + 2)
  for (let row = 0; row < scores.length; row++) {
    const score = scores[row]!
    starts[score] = starts[score]! + 1
  }
  let before = 0
  for (let score = most; score > 0; score--) {
    const own = starts[score]!
    starts[score] = before
    before += own
  }
  const rows = new Uint32Array(before)
  for (let row = 0; row < scores.length; row++) {
    const score = scores[row]!
    if (score === 0) continue
    rows[starts[score]!] = row
    starts[score] = starts[score]! + 1
  }
  return rows
}

interface FrequencyInput {
  readonly query: FrequencyQuery
  readonly loaded: LoadedArrays
}

export const frequencyJob: Job<FrequencyInput, Frequencies> = {
  name: 'mutation-counts.frequency',
  run: ({ query, loaded }) => frequenciesOf(query, arraysOf(loaded)),
  transfer: ({ rows, cohort, all }) =>
    [rows, cohort, all].map(({ buffer }) => buffer as ArrayBuffer),
}
