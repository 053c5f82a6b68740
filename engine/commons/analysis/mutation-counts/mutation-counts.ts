import type { LoopTurns } from '../../../shared/concurrency/loop-turns.ts'
import { EngineError } from '../../../shared/errors.ts'
import { type Executor, type Job, Scratch } from '../../../shared/executor.ts'
import type { TableForm } from '../../../shared/formats/table-cells.ts'
import { quotedName } from '../../../shared/input/near-name.ts'
import { Warnings } from '../../../shared/input/warnings.ts'
import type { Bare } from '../../datasets/case-gene.ts'
import { datasetOf } from '../../datasets/index.ts'
import { selectFields } from '../../datasets/select.ts'
import { boundedFilterCost, withinLimit } from '../../query/cost.ts'
import { type Layouts, layoutsOf } from '../../query/field-cost.ts'
import type { Filter } from '../../query/filter-tree.ts'
import { arraysOf } from '../../release/arrays.ts'
import type { ArrayKey, LoadedArrays, ReleaseArrays } from '../../release/loaded.ts'
import type { Release } from '../../release/release.ts'
import { ColumnSources } from '../../render/column-sources.ts'
import { compileProjection } from '../../render/projection.ts'
import { renderBody } from '../../render/render.ts'
import { INLINE_COST } from '../../search/answer-query.ts'
import { listBody } from '../../search/body.ts'
import type { CurrentRelease } from '../../search/current-release.ts'
import { NAMED_GENES, warnOfIds } from '../../search/id-warnings.ts'
import { leasedAnswer, type SearchAnswer, type SearchRun } from '../../search/leased-answer.ts'
import { paginationOf } from '../../search/pagination.ts'
import { CONTENT_TYPES } from '../../search/search.ts'
import { isTextTable, warnOfColumns } from '../../search/table-warnings.ts'
import { warnOfValues } from '../../search/value-warnings.ts'
import { burdenJob, keysOfBurden } from './burden.ts'
import type { CountedChange } from './changed-cases.ts'
import { type GivenFilters, readCaseConditions, readPairConditions } from './conditions.ts'
import { copyNumbersJob } from './copy-numbers.ts'
import { geneAssociationsJob, keysOfGeneAssociations } from './gene-associations.ts'
import { geneChangesJob, keysOfGeneChanges } from './gene-changes.ts'
import { geneCountsJob, keysOfGeneCounts } from './gene-counts.ts'
import { keysOfOncogrid, oncogridJob } from './oncogrid.ts'
import { keysOfProjectCounts, projectCountsJob } from './project-counts.ts'
import { keysOfSegments, segmentsJob } from './segments.ts'
import { keysOfTop, type Top, type TopQuery, topJob } from './top.ts'

export interface TopRequest extends GivenFilters {
  /** Fields of the listed records. Undefined or empty selects the default fields. */
  readonly fields?: readonly string[] | undefined
  readonly expand?: readonly string[] | undefined
  readonly from: number
  readonly size: number
  readonly format?: TableForm | 'json' | undefined
  readonly pretty: boolean
  /** Whether JSON is an array of records without an envelope. */
  readonly isBare?: boolean | undefined
}

export interface GeneCountsRequest extends GivenFilters {
  readonly geneIds: readonly string[]
  /** Whether to count copy-number changes in addition to simple mutations. */
  readonly include?: 'cnv' | undefined
  readonly pretty: boolean
}

export interface ProjectCountsRequest extends GivenFilters {
  readonly pretty: boolean
}

export interface OncogridRequest extends GivenFilters {
  /** Gene ids. If undefined or empty, the genes with mutations in the most cases are used. */
  readonly geneIds?: readonly string[] | undefined
  /** Maximum number of genes in the grid. `caseSize` is the maximum number of cases. */
  readonly geneSize: number
  readonly caseSize: number
  readonly pretty: boolean
}

export interface GeneChangesRequest extends GivenFilters {
  readonly geneId: string
  readonly size: number
  readonly pretty: boolean
}

export interface GeneAssociationsRequest extends GivenFilters {
  /** Gene ids. If undefined or empty, the genes that are changed in the most cases are used. */
  readonly geneIds?: readonly string[] | undefined
  /** Maximum number of genes. */
  readonly geneSize: number
  readonly change: CountedChange
  readonly pretty: boolean
}

export type CopyNumbersRequest = Omit<GeneChangesRequest, 'size'>

export interface BurdenRequest extends GivenFilters {
  readonly from: number
  readonly size: number
  /** Whether to count substitutions by the bases around them, too. */
  readonly contexts: boolean
  readonly pretty: boolean
}

export interface SegmentsRequest extends GivenFilters {
  /** Number of bases per bin. */
  readonly binSize: number
  /** Maximum number of cases whose segments are listed. */
  readonly size: number
  readonly pretty: boolean
}

interface MutationCountsContext {
  readonly current: CurrentRelease
  readonly executor: Executor
  /**
   * Yields to the event loop, shared by all long tasks of the process. If undefined, each filter yields by
   * itself, and jobs start without yielding.
   */
  readonly turns?: LoopTurns | undefined
}

const JSON_TYPE = 'application/json'

/** Cases and genes of a request, about which warnings are given. */
interface Counted {
  readonly cases: Filter | undefined
  readonly geneIds?: readonly string[]
  /** Id of the gene that the release must have. */
  readonly needed?: string
}

/** A job that counts cases, with what it reads and its estimated cost. */
interface CountPlan<Query> {
  readonly job: Job<
    { readonly query: Query; readonly loaded: LoadedArrays; readonly pretty: boolean },
    Uint8Array<ArrayBuffer>
  >
  readonly query: Query
  readonly pretty: boolean
  readonly keys: Iterable<ArrayKey>
  readonly cost: number
}

/** Estimated cost of sorting a segment among those of its case. */
const SEGMENT_COST = 20

/** Estimated cost of finding the class of a mutation. */
const CLASS_COST = 50

/**
 * Counts cases by the genes in which they have a mutation or copy-number change (data-commons.md 6.6, 6.7, 6.9).
 * All methods throw EngineError: bad_input with the place in a filter; unavailable if there is no release, or if
 * an early version built it without pairs of cases and genes; busy; corrupt_source.
 */
export class MutationCounts {
  readonly #context: MutationCountsContext
  readonly #scratch = new Scratch()
  readonly #columns = new ColumnSources()

  constructor(context: MutationCountsContext) {
    this.#context = context
  }

  /** Returns the genes with the most cases, or the cases with the most genes, counted over the matching pairs. */
  async top(by: Bare, request: TopRequest, run: SearchRun = {}): Promise<SearchAnswer> {
    const { fields, expand, from, size, format = 'json', pretty, isBare } = request
    const dataset = datasetOf(`${by}s`)
    const query = {
      by,
      ...(await readPairConditions(request, by, this.#context.turns)),
      from,
      size,
    }
    const { selection, warnings: unknown } = selectFields(dataset, { fields, expand }, 'single')
    const { warnings = new Warnings() } = run
    warnings.addAll(unknown)
    const projection = compileProjection(dataset, { ...selection, withId: false })
    const type = CONTENT_TYPES[format]
    return leasedAnswer(this.#context.current, type, run, async (release, signal) => {
      const { total, rows, scores } = await this.#top(query, release, signal)
      await warnOfValues([query.pairs, query.cohort], release, warnings, { signal })
      const page = { count: rows.length, total, size, from, sorted: true }
      const envelope = { pagination: paginationOf(page), warnings: warnings.texts }
      const { executor } = this.#context
      const kept = { scratch: this.#scratch, columns: this.#columns }
      const context = { executor, release, signal, ...kept }
      const onColumns = (count: number) => warnOfColumns(count, warnings)
      const shown = { projection, rows, scores, format, pretty, isBare, envelope, onColumns }
      return listBody(renderBody(shown, context), rows.length, isTextTable(format))
    })
  }

  /** Returns the number of cases with changes in the given genes, by project. */
  async byGenes(request: GeneCountsRequest, run: SearchRun = {}): Promise<SearchAnswer> {
    const { geneIds, include, pretty } = request
    const cases = await readCaseConditions(request, this.#context.turns)
    return this.#count({ cases, geneIds }, run, (release) => {
      const layouts = layoutsOf(release.manifest)
      const pairs = layouts.case_genes?.rows ?? 0
      const withSsm = include === undefined && mayLackSsm(layouts)
      const query = { geneIds, cases, withSsm }
      // Estimated number of pairs to visit. With `withSsm`, all pairs in the worst case. Otherwise, the average
      // number of pairs per gene times the number of genes.
      const hits = withSsm ? pairs : (geneIds.length * pairs) / Math.max(layouts.genes.rows, 1)
      const cost = boundedFilterCost('cases', cases, layouts) + hits
      return { job: geneCountsJob, query, pretty, keys: keysOfGeneCounts(query), cost }
    })
  }

  /** Returns the number of cases and the number of cases tested for mutations, by project. */
  async byProject(request: ProjectCountsRequest, run: SearchRun = {}): Promise<SearchAnswer> {
    const { pretty } = request
    const query = { cases: await readCaseConditions(request, this.#context.turns) }
    return this.#count(query, run, (release) => {
      const cost = boundedFilterCost('cases', query.cases, layoutsOf(release.manifest))
      return { job: projectCountsJob, query, pretty, keys: keysOfProjectCounts(query), cost }
    })
  }

  /** Returns a grid (OncoGrid) of genes by cases in drawing order. */
  async oncogrid(request: OncogridRequest, run: SearchRun = {}): Promise<SearchAnswer> {
    const { geneIds = [], geneSize, caseSize, pretty } = request
    const cases = await readCaseConditions(request, this.#context.turns)
    const query = { cases, geneIds, geneSize, caseSize }
    return this.#count(query, run, (release) => {
      const cost = changesCost(cases, release)
      return { job: oncogridJob, query, pretty, keys: keysOfOncogrid(query), cost }
    })
  }

  /**
   * Returns the number of cases by their changes of one gene.
   * @throws EngineError also not_found if the release has no such gene
   */
  async geneChanges(request: GeneChangesRequest, run: SearchRun = {}): Promise<SearchAnswer> {
    const { geneId, size, pretty } = request
    const query = { cases: await readCaseConditions(request, this.#context.turns), geneId, size }
    return this.#count({ ...query, needed: geneId }, run, (release) => {
      const cost = changesCost(query.cases, release)
      return { job: geneChangesJob, query, pretty, keys: keysOfGeneChanges(query), cost }
    })
  }

  /** Tests each pair of genes for mutual exclusivity and co-occurrence of their changes in the tested cases. */
  async geneAssociations(
    request: GeneAssociationsRequest,
    run: SearchRun = {},
  ): Promise<SearchAnswer> {
    const { geneIds = [], geneSize, change, pretty } = request
    const cases = await readCaseConditions(request, this.#context.turns)
    const query = { cases, geneIds, geneSize, change }
    return this.#count(query, run, (release) => {
      const cost = changesCost(cases, release)
      return { job: geneAssociationsJob, query, pretty, keys: keysOfGeneAssociations(query), cost }
    })
  }

  /**
   * Returns the number of tested cases by the copy number of a gene and by project.
   * @throws EngineError also not_found if the release has no such gene
   */
  async copyNumbers(request: CopyNumbersRequest, run: SearchRun = {}): Promise<SearchAnswer> {
    const { geneId, pretty } = request
    const query = { cases: await readCaseConditions(request, this.#context.turns), geneId }
    return this.#count({ ...query, needed: geneId }, run, (release) => {
      const cost = changesCost(query.cases, release)
      return { job: copyNumbersJob, query, pretty, keys: keysOfGeneChanges(query), cost }
    })
  }

  /** Returns the number of simple mutations of each tested case, by class, most first. */
  async burden(request: BurdenRequest, run: SearchRun = {}): Promise<SearchAnswer> {
    const { from, size, contexts, pretty } = request
    const cases = await readCaseConditions(request, this.#context.turns)
    const query = { cases, from, size, contexts }
    return this.#count(query, run, (release) => {
      const layouts = layoutsOf(release.manifest)
      const visited = layouts.ssm_occurrences.rows + CLASS_COST * layouts.ssms.rows
      const cost = withinLimit(boundedFilterCost('cases', query.cases, layouts) + visited)
      return { job: burdenJob, query, pretty, keys: keysOfBurden(query), cost }
    })
  }

  /** Returns the share of cases with gains and losses along the genome, and the segments of the most changed cases. */
  async segments(request: SegmentsRequest, run: SearchRun = {}): Promise<SearchAnswer> {
    const { binSize, size, pretty } = request
    const cases = await readCaseConditions(request, this.#context.turns)
    const query = { cases, binSize, size }
    return this.#count(query, run, (release) => {
      const layouts = layoutsOf(release.manifest)
      const visited = SEGMENT_COST * (layouts.segment_cnv_occurrences?.rows ?? 0)
      const cost = withinLimit(boundedFilterCost('cases', cases, layouts) + visited)
      return { job: segmentsJob, query, pretty, keys: keysOfSegments(query), cost }
    })
  }

  /**
   * Runs a job that counts cases of the current release. Adds warnings of unknown values and genes. `planFor` is
   * called once the release is leased.
   */
  async #count<Query>(
    { cases, geneIds, needed }: Counted,
    run: SearchRun,
    planFor: (release: Release) => CountPlan<Query>,
  ): Promise<SearchAnswer> {
    const { warnings = new Warnings() } = run
    return leasedAnswer(this.#context.current, JSON_TYPE, run, async (release, signal) => {
      await warnOfValues([cases], release, warnings, { signal })
      if (geneIds) await warnOfIds(NAMED_GENES, geneIds, release, { signal, warnings })
      const { job, query, pretty, keys, cost } = planFor(release)
      const loaded = await release.load(keys, { signal })
      if (needed !== undefined) requireGene(needed, arraysOf(loaded))
      return this.#run(job, { query, loaded, pretty }, cost, signal)
    })
  }

  async #top(top: TopQuery, release: Release, signal: AbortSignal): Promise<Top> {
    const { by, pairs, sides, records, cohort } = top
    const layouts = layoutsOf(release.manifest)
    const query = { ...top, withSsm: top.withSsm && mayLackSsm(layouts) }
    // The cost includes all pairs, because all of them may belong to the few selected cases or genes.
    const conditionsCost = sides
      ? boundedFilterCost('cases', sides.case, layouts) +
        boundedFilterCost('genes', sides.gene, layouts) +
        (layouts.case_genes?.rows ?? 0)
      : boundedFilterCost('case_genes', pairs, layouts) +
        boundedFilterCost('cases', cohort, layouts)
    const cost = conditionsCost + boundedFilterCost(`${by}s`, records, layouts)
    const loaded = await release.load(keysOfTop(query), { signal })
    return this.#run(topJob, { query, loaded }, cost, signal)
  }

  /** Runs a job on the calling thread if it is cheap, otherwise in a worker thread. */
  async #run<Input, Output>(
    job: Job<Input, Output>,
    input: Input,
    cost: number,
    signal: AbortSignal,
  ): Promise<Output> {
    // Requests that arrive together are parsed in the same turn of the event loop, so a new turn is awaited
    // before computing.
    await this.#context.turns?.pause()
    if (cost < INLINE_COST) return job.run(input, this.#scratch)
    return this.#context.executor.run(job, input, { signal })
  }
}

/** Returns the cost of a query in the worst case, where all pairs and their changes are visited. */
function changesCost(cases: Filter | undefined, { manifest }: Release): number {
  const layouts = layoutsOf(manifest)
  return boundedFilterCost('cases', cases, layouts) + 2 * (layouts.case_genes?.rows ?? 0)
}

/** Returns whether pairs may lack a simple mutation, which requires copy-number changes in the release. */
const mayLackSsm = ({ case_genes: pairs }: Layouts): boolean => pairs?.levels.cnv !== undefined

/** @throws EngineError not_found if the release has no gene with this id */
function requireGene(geneId: string, arrays: ReleaseArrays): void {
  const ids = arrays.column('genes', 'gene_id')?.dictionary
  if (ids && ids.find(geneId) > 0) return
  const message = `the release has no gene with the id ${quotedName(geneId)}; give the gene_id of one, such as those of /genes`
  throw new EngineError('not_found', message)
}
