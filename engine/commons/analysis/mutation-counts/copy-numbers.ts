import { type Bits, countBits, hasBit } from '../../../shared/arrays/bitset.ts'
import type { Job } from '../../../shared/executor.ts'
import type { Filter } from '../../query/filter-tree.ts'
import { selectRows } from '../../query/select.ts'
import { arraysOf } from '../../release/arrays.ts'
import type { LoadedArrays, ReleaseArrays } from '../../release/loaded.ts'
import { jsonOf } from '../../render/values.ts'
import { pairLinks, pairsOfGene } from './gene-pairs.ts'
import { pairChangesOf } from './pair-changes.ts'
import { projectsOf } from './projects.ts'
import { testedCases } from './tested-cases.ts'

interface CopyNumbersQuery {
  readonly geneId: string
  readonly cases?: Filter | undefined
}

/** Copy number of a gene by project, with the field names of the response. */
interface CopyNumbers {
  /** Number of cases that match the filter, and of those that were tested for copy numbers. */
  readonly total: number
  readonly tested: number
  /** Names of the changes that occur, ascending. */
  readonly copy_numbers: readonly string[]
  /** One entry per project that has tested cases, by project id. */
  readonly projects: readonly {
    readonly project_id: string
    readonly cases: number
    readonly tested: number
    /** Number of tested cases with a change of the gene, by the order of `copy_numbers`. */
    readonly counts: readonly number[]
    /** Number of tested cases without a change of the gene. */
    readonly unchanged: number
  }[]
}

/** Counts the tested cases of each project by the copy number of a gene. */
function copyNumbersOf({ geneId, cases }: CopyNumbersQuery, arrays: ReleaseArrays): CopyNumbers {
  const selected = selectRows('cases', cases, [], arrays).rows
  const tested = testedCases('cnv', selected, arrays)
  const projects = projectsOf(arrays)
  const ids = arrays.column('projects', 'project_id')?.dictionary
  const all = projects.count(selected.bits)
  const testedBy = tested ? projects.count(tested) : new Uint32Array(projects.size + 1)
  const { names, changed, counts } = changedBy(geneId, tested, arrays)
  const shown = names
    .map((name, place) => ({ name, place }))
    .filter(({ place }) => {
      return counts.some((own) => own[place]! > 0)
    })
  shown.sort((one, other) => (one.name < other.name ? -1 : 1))
  return {
    total: selected.count,
    tested: tested ? countBits(tested) : 0,
    copy_numbers: shown.map(({ name }) => name),
    projects: Array.from({ length: projects.size }, (_, row) => row + 1)
      .filter((project) => testedBy[project]! > 0)
      .map((project) => ({
        project_id: ids?.text(project) ?? '',
        cases: all[project]!,
        tested: testedBy[project]!,
        counts: shown.map(({ place }) => counts[project]![place]!),
        unchanged: testedBy[project]! - changed[project]!,
      })),
  }
}

/** Counts the tested cases with a change of a gene, by project and by change. */
function changedBy(geneId: string, tested: Bits | undefined, arrays: ReleaseArrays) {
  const projects = projectsOf(arrays)
  const changes = pairChangesOf(arrays)
  const changed = new Uint32Array(projects.size + 1)
  const counts = Array.from(
    { length: projects.size + 1 },
    () => new Uint32Array(changes.copyNumbers.length),
  )
  const links = pairLinks(arrays)
  const gene = (arrays.column('genes', 'gene_id')?.dictionary.find(geneId) ?? 0) - 1
  if (links && tested && gene >= 0) {
    for (const { pair, row } of pairsOfGene(gene, tested, links)) {
      if (!hasBit(tested, row) || !changes.isCopied(pair)) continue
      const project = projects.of(row)
      changed[project]!++
      const own = new Set<number>()
      changes.eachCopyNumber(pair, (place) => own.add(place))
      for (const place of own) counts[project]![place]!++
    }
  }
  return { names: changes.copyNumbers, changed, counts }
}

interface CopyNumbersInput {
  readonly query: CopyNumbersQuery
  readonly loaded: LoadedArrays
  readonly pretty: boolean
}

export const copyNumbersJob: Job<CopyNumbersInput, Uint8Array<ArrayBuffer>> = {
  name: 'mutation-counts.copy-numbers',
  run: ({ query, loaded, pretty }) => jsonOf(copyNumbersOf(query, arraysOf(loaded)), { pretty }),
  transfer: (bytes) => [bytes.buffer],
}
