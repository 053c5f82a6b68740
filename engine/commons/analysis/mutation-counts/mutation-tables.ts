import { Gate } from '../../../shared/concurrency/gate.ts'
import { inOrder } from '../../../shared/concurrency/in-order.ts'
import type { LoopTurns } from '../../../shared/concurrency/loop-turns.ts'
import { EngineError } from '../../../shared/errors.ts'
import type { Executor } from '../../../shared/executor.ts'
import { ByteSink } from '../../../shared/formats/byte-sink.ts'
import { writeLine } from '../../../shared/formats/table-cells.ts'
import { quotedName } from '../../../shared/input/near-name.ts'
import { Warnings } from '../../../shared/input/warnings.ts'
import type { DatasetName } from '../../datasets/define.ts'
import { DATASETS } from '../../datasets/index.ts'
import { resolveOccurrence } from '../../datasets/resolve-occurrence.ts'
import { createResolver } from '../../datasets/resolver.ts'
import { selectFields } from '../../datasets/select.ts'
import { boundedFilterCost } from '../../query/cost.ts'
import { layoutsOf } from '../../query/field-cost.ts'
import { readFilter } from '../../query/filter.ts'
import { FilterBudget } from '../../query/filter-budget.ts'
import { joinFilters } from '../../query/shape.ts'
import { arraysOf } from '../../release/arrays.ts'
import { columnKey } from '../../release/layout.ts'
import type { Release } from '../../release/release.ts'
import { ChunkSizes } from '../../render/chunk-sizes.ts'
import { handlesFor } from '../../render/context.ts'
import { compileProjection, type Projection } from '../../render/projection.ts'
import { notBegun } from '../../search/body.ts'
import type { CurrentRelease } from '../../search/current-release.ts'
import {
  leasedAnswer,
  type SearchAnswer,
  type SearchRun,
  withEnd,
} from '../../search/leased-answer.ts'
import { warnOfValues } from '../../search/value-warnings.ts'
import { type GivenFilters, readCaseConditions, readPairConditions } from './conditions.ts'
import {
  type Frequencies,
  type FrequencyQuery,
  frequencyJob,
  keysOfFrequencies,
} from './frequency.ts'
import {
  columnsOf,
  type FrequencyForm,
  type FrequencyTable,
  frequencyChunkJob,
} from './frequency-chunk.ts'
import { GENE_FIELDS, MUTATION_FIELDS } from './frequency-columns.ts'

/** Request for a table of genes or mutations. */
export interface MutationTableRequest extends GivenFilters {
  readonly records: 'genes' | 'ssms'
  /** Gene to whose mutations the table is restricted. */
  readonly geneId?: string | undefined
  /** Case to whose mutations the table is restricted. They are counted over the cases of its project. */
  readonly caseId?: string | undefined
  /** Lines of a table, or a JSON array of its rows. */
  readonly format: 'tsv' | 'json'
  readonly pretty: boolean
}

interface MutationTablesContext {
  readonly current: CurrentRelease
  readonly executor: Executor
  readonly turns?: LoopTurns | undefined
}

/** Maximum number of concurrent tables. Each counts over all mutations of a release. */
const MAX_ANSWERS = 8
const BUSY = 'too many tables of mutations are under way; try again soon'

const CONTENT_TYPES = { tsv: 'text/tab-separated-values', json: 'application/json' } as const

const FIELDS = { genes: GENE_FIELDS, ssms: MUTATION_FIELDS } as const

/** Job priority of all chunks after the first, so that small responses overtake large ones. */
const LATER_PRIORITY = 1

/**
 * Tables of genes and mutations that the portal offers for download. Each record has the number of affected
 * cases in the cohort and in the release (data-commons.md 6.11). Lines are rendered while they are sent.
 */
export class MutationTables {
  readonly #context: MutationTablesContext
  readonly #places = new Gate(MAX_ANSWERS, 0, BUSY)
  readonly #shown = { genes: shownOf('genes'), ssms: shownOf('ssms') }

  constructor(context: MutationTablesContext) {
    this.#context = context
  }

  /**
   * Returns the table. When the promise resolves, the request has succeeded: only sending the body remains.
   * @throws EngineError bad_input with the place in a filter; not_found for a gene or case that the release
   *   does not have; unavailable without a release, busy, corrupt_source
   */
  async of(request: MutationTableRequest, run: SearchRun = {}): Promise<SearchAnswer> {
    const { current, executor } = this.#context
    const { records, geneId, caseId, format, pretty } = request
    const query = await readQuery(request, this.#context.turns)
    const { warnings = new Warnings() } = run
    const leave = await this.#places.enter(run.signal)
    const making = leasedAnswer(current, CONTENT_TYPES[format], run, async (release, signal) => {
      await refuseUnknown({ geneId, caseId }, release, signal)
      await warnOfValues([query.cohort, query.occurrences], release, warnings, { signal })
      const counts = await this.#count(query, release, signal)
      const { project, symbol } = counts
      const projection = this.#shown[records]
      const shown = {
        projection,
        counts,
        executor,
        signal,
        form: { format, pretty },
        table: { records, geneId, project, symbol },
        handles: await handlesFor(projection, { release, signal }),
      }
      return notBegun(written(shown))
    })
    return making.then(
      (answer) => withEnd(answer, leave),
      (error) => {
        leave()
        throw error
      },
    )
  }

  async #count(query: FrequencyQuery, release: Release, signal: AbortSignal): Promise<Frequencies> {
    const layouts = layoutsOf(release.manifest)
    boundedFilterCost('cases', query.cohort, layouts)
    boundedFilterCost('ssm_occurrences', query.occurrences, layouts)
    if (query.of.records === 'genes') {
      boundedFilterCost('case_genes', query.of.pairs.pairs, layouts)
    }
    const loaded = await release.load(keysOfFrequencies(query), { signal })
    return this.#context.executor.run(frequencyJob, { query, loaded }, { signal })
  }
}

/** Reads the filters of a request as conditions on cases, pairs and occurrences. */
async function readQuery(
  request: MutationTableRequest,
  turns: LoopTurns | undefined,
): Promise<FrequencyQuery> {
  const { filters, caseFilters, records, geneId, caseId } = request
  const cohort = await readCaseConditions({ caseFilters }, turns)
  const resolver = createResolver(DATASETS.ssm_occurrences)
  const bare = records === 'genes' ? 'gene' : 'ssm'
  const reading = {
    records: 'ssm_occurrences',
    resolve: (name: string) => resolveOccurrence(name, bare),
    nearest: resolver.nearest,
    budget: new FilterBudget(),
    turns,
  }
  const requested = await readFilter(filters, reading)
  if (records === 'genes') {
    const pairs = await readPairConditions({ filters }, 'gene', turns)
    return { cohort, occurrences: requested, of: { records, pairs } }
  }
  const ofGene = geneId && { op: '=', content: { field: 'genes.gene_id', value: geneId } }
  const occurrences = joinFilters(requested, await readFilter(ofGene, reading))
  return { cohort, occurrences, of: { records, geneId, caseId } }
}

const NAMED = [
  { dataset: 'genes', field: 'gene_id', key: 'geneId', noun: 'gene' },
  { dataset: 'cases', field: 'case_id', key: 'caseId', noun: 'case' },
] as const

async function refuseUnknown(
  ids: Pick<MutationTableRequest, 'geneId' | 'caseId'>,
  release: Release,
  signal: AbortSignal,
): Promise<void> {
  for (const { dataset, field, key, noun } of NAMED) {
    const id = ids[key]
    if (id === undefined) continue
    const loaded = await release.load([columnKey(dataset, field)], { signal })
    const known = arraysOf(loaded).column(dataset, field)?.dictionary
    if (known && known.find(id) > 0) continue
    const message = `the release has no ${noun} with the id ${quotedName(id)}; give the ${field} of one, such as those of /${dataset}`
    throw new EngineError('not_found', message)
  }
}

function shownOf(name: 'genes' | 'ssms'): Projection {
  const dataset = DATASETS[name satisfies DatasetName]
  const { selection } = selectFields(dataset, { fields: FIELDS[name] }, 'single')
  return compileProjection(dataset, { ...selection, withId: false })
}

interface Shown {
  readonly projection: Projection
  readonly counts: Frequencies
  readonly table: FrequencyTable
  readonly form: FrequencyForm
  readonly handles: Awaited<ReturnType<typeof handlesFor>>
  readonly executor: Executor
  readonly signal: AbortSignal
}

/** Yields the response body in chunks. Each takes a few milliseconds. */
async function* written(shown: Shown): AsyncGenerator<Uint8Array> {
  const { counts, form, table, projection, handles, executor, signal } = shown
  if (form.format === 'tsv') yield headerOf(table)
  else yield Buffer.from('[')
  const sizes = new ChunkSizes()
  let from = 0
  const next = (stop: AbortSignal): Promise<Uint8Array> | undefined => {
    if (from >= counts.rows.length) return undefined
    const start = from
    const end = Math.min(start + sizes.next(), counts.rows.length)
    from = end
    const input = {
      ...handles,
      projection,
      table,
      form,
      isFirst: start === 0,
      counts: cut(counts, start, end),
    }
    const priority = start === 0 ? 0 : LATER_PRIORITY
    return executor.run(frequencyChunkJob, input, { signal: stop, priority }).then((chunk) => {
      sizes.measured(end - start, chunk.work)
      return chunk.bytes
    })
  }
  yield* inOrder(next, { ahead: 2 * executor.parallelism, signal })
  if (form.format === 'json') {
    yield Buffer.from(form.pretty && counts.rows.length > 0 ? '\n]' : ']')
  }
}

function headerOf(table: FrequencyTable): Uint8Array {
  const sink = new ByteSink(Buffer.allocUnsafe(1024))
  writeLine(sink, columnsOf(table))
  return sink.take()
}

function cut(counts: Frequencies, start: number, end: number): Frequencies {
  const of = (column: Uint32Array) => column.slice(start, end)
  return {
    ...counts,
    rows: of(counts.rows),
    cohort: of(counts.cohort),
    all: of(counts.all),
    gains: of(counts.gains),
    losses: of(counts.losses),
    mutations: of(counts.mutations),
  }
}
