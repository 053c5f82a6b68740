import { type Bits, countBits } from '../../../shared/arrays/bitset.ts'
import type { Job } from '../../../shared/executor.ts'
import type { Filter } from '../../query/filter-tree.ts'
import { keysOfFilter } from '../../query/keys.ts'
import { selectRows } from '../../query/select.ts'
import { arraysOf } from '../../release/arrays.ts'
import { columnKey, linkKey } from '../../release/layout.ts'
import type { ArrayKey, LoadedArrays, ReleaseArrays } from '../../release/loaded.ts'
import { jsonOf } from '../../render/values.ts'
import { PAIR_LINK_KEYS, type Pair, pairLinks, pairsOfGene } from './gene-pairs.ts'
import { PAIR_CHANGE_KEYS, type PairChanges, pairChangesOf } from './pair-changes.ts'
import { projectsOf } from './projects.ts'
import { TESTED_KEYS, testedCases } from './tested-cases.ts'

interface GeneChangesQuery {
  readonly geneId: string
  readonly cases?: Filter | undefined
  readonly size: number
}

/** Changes of one gene in the selected cases. */
interface GeneChanges {
  /** Number of cases that match the filter. */
  readonly total: number
  /** Number of cases tested for simple mutations. */
  readonly ssm_tested: number
  /** Number of these cases with a simple mutation in the gene. */
  readonly ssm_cases: number
  /** Number of cases tested for copy numbers. */
  readonly cnv_tested: number
  /** Number of these cases with a copy-number change of the gene. */
  readonly cnv_cases: number
  /** One entry per project that has tested cases. */
  readonly projects: readonly ProjectChanges[]
  readonly mutations_total: number
  /** Mutations of the gene by descending number of cases, then by id. */
  readonly mutations: readonly { readonly ssm_id: string; readonly cases: number }[]
  /** Copy-number changes of the gene by descending number of cases, then by name. */
  readonly copy_numbers: readonly { readonly change: string; readonly cases: number }[]
}

interface ProjectChanges {
  readonly project_id: string
  readonly cases: number
  readonly ssm_tested: number
  readonly ssm_cases: number
  readonly cnv_tested: number
  readonly cnv_cases: number
}

/** Returns the keys of all arrays that the query may read, so that they can be loaded. */
export function keysOfGeneChanges({ cases }: Pick<GeneChangesQuery, 'cases'>): readonly ArrayKey[] {
  return [
    ...keysOfFilter(cases),
    ...PAIR_CHANGE_KEYS,
    ...TESTED_KEYS,
    ...PAIR_LINK_KEYS,
    linkKey('cases', 'project'),
    columnKey('projects', 'project_id'),
    columnKey('genes', 'gene_id'),
    columnKey('ssms', 'ssm_id'),
  ]
}

/** Counts cases by their changes of one gene (data-commons.md 11.45). For an unknown gene, all counts are 0. */
export function geneChangesOf(query: GeneChangesQuery, arrays: ReleaseArrays): GeneChanges {
  const selected = selectRows('cases', query.cases, [], arrays).rows
  const changes = pairChangesOf(arrays)
  const pairs = pairsOf(query.geneId, selected.bits, arrays)
  const projects = projectsOf(arrays)
  const ids = arrays.column('projects', 'project_id')?.dictionary
  const countTested = (kind: 'ssm' | 'cnv') => {
    const tested = testedCases(kind, selected, arrays)
    const counts = tested ? projects.count(tested) : new Uint32Array(projects.size + 1)
    return { count: tested ? countBits(tested) : 0, counts }
  }
  const [ssm, cnv] = [countTested('ssm'), countTested('cnv')]
  const countHit = (has: (pair: number) => boolean) => {
    const counts = new Uint32Array(projects.size + 1)
    let count = 0
    for (const { pair, row } of pairs) {
      if (!has(pair)) continue
      const project = projects.of(row)
      counts[project] = counts[project]! + 1
      count++
    }
    return { count, counts }
  }
  const [mutated, copied] = [countHit(changes.isMutated), countHit(changes.isCopied)]
  const cases = projects.count(selected.bits)
  const rows = Array.from({ length: projects.size }, (_, row) => row + 1)
  return {
    total: selected.count,
    ssm_tested: ssm.count,
    ssm_cases: mutated.count,
    cnv_tested: cnv.count,
    cnv_cases: copied.count,
    projects: rows
      .filter((project) => [ssm, cnv, mutated, copied].some(({ counts }) => counts[project]! > 0))
      .map((project) => ({
        project_id: ids?.text(project) ?? '',
        cases: cases[project]!,
        ssm_tested: ssm.counts[project]!,
        ssm_cases: mutated.counts[project]!,
        cnv_tested: cnv.counts[project]!,
        cnv_cases: copied.counts[project]!,
      })),
    ...mutationsOf(pairs, changes, query.size, arrays),
    copy_numbers: copyNumbersOf(pairs, changes),
  }
}

/** Returns the pairs of a gene with the selected cases. */
function pairsOf(geneId: string, bits: Bits | undefined, arrays: ReleaseArrays): readonly Pair[] {
  const code = arrays.column('genes', 'gene_id')?.dictionary.find(geneId) ?? 0
  const links = pairLinks(arrays)
  return code > 0 && links ? pairsOfGene(code - 1, bits, links) : []
}

/** Counts pairs by the numbers that `each` reports for a pair, such as the numbers of its mutations. */
function countPairs(
  pairs: readonly Pair[],
  each: (pair: number, see: (found: number) => void) => void,
): ReadonlyMap<number, number> {
  const counts = new Map<number, number>()
  for (const { pair } of pairs) {
    const own = new Set<number>()
    each(pair, (found) => own.add(found))
    for (const found of own) counts.set(found, (counts.get(found) ?? 0) + 1)
  }
  return counts
}

function mutationsOf(
  pairs: readonly Pair[],
  changes: PairChanges,
  size: number,
  arrays: ReleaseArrays,
): Pick<GeneChanges, 'mutations' | 'mutations_total'> {
  const ids = arrays.column('ssms', 'ssm_id')?.dictionary
  // Rows are in order of mutation id.
  const found = [...countPairs(pairs, changes.eachMutation)].sort(
    ([row, cases], [otherRow, others]) => others - cases || row - otherRow,
  )
  return {
    mutations_total: found.length,
    mutations: found
      .slice(0, size)
      .map(([row, cases]) => ({ ssm_id: ids?.text(row + 1) ?? '', cases })),
  }
}

const copyNumbersOf = (pairs: readonly Pair[], changes: PairChanges) =>
  [...countPairs(pairs, changes.eachCopyNumber)]
    .map(([place, cases]) => ({ change: changes.copyNumbers[place] ?? '', cases }))
    .sort((one, other) => other.cases - one.cases || (one.change < other.change ? -1 : 1))

interface GeneChangesInput {
  readonly query: GeneChangesQuery
  readonly loaded: LoadedArrays
  readonly pretty: boolean
}

export const geneChangesJob: Job<GeneChangesInput, Uint8Array<ArrayBuffer>> = {
  name: 'mutation-counts.changes',
  run: ({ query, loaded, pretty }) => jsonOf(geneChangesOf(query, arraysOf(loaded)), { pretty }),
  transfer: (bytes) => [bytes.buffer],
}
