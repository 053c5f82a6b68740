import { hasBit } from '../../../shared/arrays/bitset.ts'
import type { Job } from '../../../shared/executor.ts'
import type { Filter } from '../../query/filter-tree.ts'
import { keysOfFilter } from '../../query/keys.ts'
import { selectRows } from '../../query/select.ts'
import { arraysOf } from '../../release/arrays.ts'
import { columnKey, levelKey, linkKey } from '../../release/layout.ts'
import type { ArrayKey, Link, LoadedArrays, ReleaseArrays } from '../../release/loaded.ts'
import { bucketsOf, frameOf } from './frame.ts'
import { type ProjectBucket, type ProjectCounts, projectsOf } from './projects.ts'

/** Query for the number of cases with changes in the given genes. */
export interface GeneCountsQuery {
  readonly geneIds: readonly string[]
  /** Whether a pair counts only with a simple mutation, not a mere copy-number change (data-commons.md 11.31). */
  readonly withSsm: boolean
  readonly cases?: Filter | undefined
}

/** Returns the keys of all arrays that the query may read, so that they can be loaded. */
export function keysOfGeneCounts({ cases, withSsm }: GeneCountsQuery): readonly ArrayKey[] {
  return [
    ...(withSsm ? [levelKey('case_genes', 'ssm')] : []),
    ...keysOfFilter(cases),
    linkKey('case_genes', 'case'),
    linkKey('case_genes', 'gene'),
    linkKey('cases', 'project'),
    columnKey('projects', 'project_id'),
    columnKey('genes', 'gene_id'),
  ]
}

/** Counts cases with a change by project and by gene (data-commons.md 6.6). Unknown genes are left out. */
export function countByGenes(
  { geneIds, cases, withSsm }: GeneCountsQuery,
  arrays: ReleaseArrays,
): ProjectCounts {
  const byCase = arrays.link('case_genes', 'case')
  const byGene = arrays.link('case_genes', 'gene')
  const ids = arrays.column('genes', 'gene_id')?.dictionary
  const ssm = withSsm ? arrays.level('case_genes', 'ssm') : undefined
  if (!byCase || !byGene || !ids || (withSsm && !ssm)) return { total: 0, buckets: [] }
  // Pairs whose gene has no record have target 0 and do not count.
  const isChanged = (pair: number) =>
    byGene.targets[pair] !== 0 && (!ssm || ssm.offsets[pair] !== ssm.offsets[pair + 1])
  const selected = selectRows('cases', cases, [], arrays).rows
  const projects = projectsOf(arrays)
  const mine = new Uint32Array(arrays.rows('cases'))
  /** Rows of the cases that have a change in one of the genes. */
  const hit: number[] = []
  const genes: { readonly id: string; readonly counts: Uint32Array }[] = []
  for (const id of new Set(geneIds)) {
    const row: number = ids.find(id) - 1
    if (row < 0) continue
    const counts = new Uint32Array(projects.size + 1)
    for (const pair of namedBy(byGene, row)) {
      const one = byCase.targets[pair]! - 1
      if (!isChanged(pair) || (selected.bits && !hasBit(selected.bits, one))) continue
      if (mine[one] === 0) hit.push(one)
      mine[one] = mine[one]! + 1
      const project = projects.of(one)
      counts[project] = counts[project]! + 1
    }
    genes.push({ id, counts })
  }
  const sums = newSums(projects.size + 1)
  for (const one of hit) {
    const project = projects.of(one)
    const pairs = namedBy(byCase, one).reduce((sum, pair) => sum + Number(isChanged(pair)), 0)
    sums.cases[project] = sums.cases[project]! + 1
    sums.pairs[project] = sums.pairs[project]! + pairs
    sums.mine[project] = sums.mine[project]! + mine[one]!
  }
  const buckets = projects.buckets(sums.cases, (project) => bucketOf(project, sums, genes))
  return { total: hit.length, buckets }
}

/** Returns the pairs of a case or of a gene. */
const namedBy = ({ reverseOffsets, reverseElements }: Link, row: number): Uint32Array =>
  reverseElements.subarray(reverseOffsets[row], reverseOffsets[row + 1])

interface Sums {
  /** Number of cases with a change in a requested gene, by project. */
  readonly cases: Uint32Array
  /** For each project, the number of pairs of these cases and genes changed in them. */
  readonly pairs: Float64Array
  /** For each project, the number of these pairs whose gene was requested. */
  readonly mine: Float64Array
}

const newSums = (projects: number): Sums => ({
  cases: new Uint32Array(projects),
  pairs: new Float64Array(projects),
  mine: new Float64Array(projects),
})

function bucketOf(
  project: number,
  { pairs, mine }: Sums,
  genes: readonly { readonly id: string; readonly counts: Uint32Array }[],
): ProjectBucket {
  const buckets = genes
    .map(({ id, counts }) => ({ key: id, doc_count: counts[project]! }))
    .filter(({ doc_count: count }) => count > 0)
    .sort((a, b) => b.doc_count - a.doc_count || (a.key < b.key ? -1 : 1))
  return {
    genes: {
      doc_count: pairs[project]!,
      my_genes: { doc_count: mine[project]!, gene_id: bucketsOf(buckets) },
    },
  }
}

interface GeneCountsInput {
  readonly query: GeneCountsQuery
  readonly loaded: LoadedArrays
  readonly pretty: boolean
}

export const geneCountsJob: Job<GeneCountsInput, Uint8Array<ArrayBuffer>> = {
  name: 'mutation-counts.genes',
  run: ({ query, loaded, pretty }) =>
    frameOf(() => countByGenes(query, arraysOf(loaded)), { pretty }),
  transfer: (bytes) => [bytes.buffer],
}
