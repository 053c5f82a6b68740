import type { Authenticator } from '../../../shared/access/authenticator.ts'
import type { Grants } from '../../../shared/audit/grants.ts'
import type { FileCatalogue } from '../../../shared/catalogue/files.ts'
import { LoopTurns } from '../../../shared/concurrency/loop-turns.ts'
import { writeJson } from '../../../shared/concurrency/write-json.ts'
import type { DiskSpace } from '../../../shared/disk-space.ts'
import { EngineError } from '../../../shared/errors.ts'
import type { Executor } from '../../../shared/executor.ts'
import { cellOf, csvCell, type TableForm } from '../../../shared/formats/table-cells.ts'
import { quotedName } from '../../../shared/input/near-name.ts'
import { Warnings } from '../../../shared/input/warnings.ts'
import type { Filter } from '../../query/filter-tree.ts'
import type { Release } from '../../release/release.ts'
import { wholeOrBegun } from '../../search/body.ts'
import type { CurrentRelease } from '../../search/current-release.ts'
import { leasedAnswer, type SearchAnswer, type SearchRun } from '../../search/leased-answer.ts'
import { CONTENT_TYPES } from '../../search/search.ts'
import { isTextTable, warnOfColumns } from '../../search/table-warnings.ts'
import { type Availability, sectionOf } from './availability.ts'
import { type CaseSources, casesOf, type GeneSources, hasCases, hasGenes } from './case-sources.ts'
import { correlateGenes, type GeneCorrelation } from './coexpression.ts'
import { ColumnGuards } from './column-guards.ts'
import { compareGroups, type GeneDifference } from './differential.ts'
import {
  columnsOf,
  findCaseIds,
  findColumns,
  findGeneRows,
  warnOfUnknownIds,
} from './find-places.ts'
import { selectGenes } from './gene-selection.ts'
import { Matrices } from './matrices.ts'
import { markedPlaces } from './matrix-part.ts'
import { type Matrix, NO_MATRIX } from './open-matrix.ts'
import type { RequestedValues, ValuesRun } from './requested-values.ts'
import { type SetScore, scoreCases } from './set-scores.ts'
import type { ScoreMethod } from './set-scores-job.ts'
import { type KeptSets, withSetSources } from './set-sources.ts'
import type { ExpressionUnit } from './unit-values.ts'
import { arrowChunks, MAX_PARQUET_CASES, parquetChunks } from './values-files.ts'
import { ValuesTables } from './values-table.ts'

/** Requests which of some cases and genes have expression values. */
export type AvailabilityRequest = CaseSources & GeneSources

/** Requests the expression values of some genes in some cases. */
export interface ValuesRequest extends CaseSources, GeneSources {
  readonly unit: ExpressionUnit
  readonly format: ValuesFormat
  /** Secret of the client's access token. Not needed for open cases. */
  readonly token: string | undefined
}

export type ValuesFormat = TableForm | 'arrow' | 'parquet'

/** Request for the genes whose expression varies most over some cases. */
export interface GeneSelectionRequest extends CaseSources, GeneSources {
  /** Type of the candidate genes if no gene ids are given. */
  readonly geneType: 'protein_coding' | undefined
  /** Maximum number of genes to select, at least 1. */
  readonly size: number
  /** Genes are not selected if their median of log2(value + 1) is below this number. */
  readonly leastMedian: number
  readonly token: string | undefined
}

/** Output format of results per gene. */
export type GenesFormat = TableForm | 'json'

/** Request for a test of each gene. Without gene ids, all genes with values are tested. */
export interface TestedGenes extends CaseSources, GeneSources {
  readonly format: GenesFormat
  readonly token: string | undefined
}

/** Requests a comparison of each gene between two groups of cases. */
export interface DifferentialRequest extends TestedGenes {
  /** Cases of the second group. By default, all cases that are not in the first group. */
  readonly otherCaseIds?: readonly string[] | undefined
  readonly otherCaseFilters?: unknown
}

/** Request for the correlation of one gene with each other gene. */
export interface CoexpressionRequest extends TestedGenes {
  /** Id of the gene with which the others are correlated. */
  readonly geneId: string
}

/** Request for the score of a gene set in each case. */
export interface SetScoresRequest extends TestedGenes {
  readonly method: ScoreMethod
}

/** Requests the mean expression of some genes in the cases of a filter that was read. */
interface MeansRequest {
  readonly filter: Filter | undefined
  readonly geneIds: readonly string[]
  readonly token: string | undefined
}

export interface ExpressionLimits {
  /** Maximum number of cells (cases times genes) of one response. 0 means no limit. */
  readonly expressionCells: number
  /** Maximum number of cells (cases times genes) of one test. A test sorts the values of each gene. */
  readonly expressionTestedCells: number
  /** Memory in bytes for the expression matrix of a release. Half of it caches pages of a larger matrix. */
  readonly expressionMemoryBytes: number
}

/** Services that the requests need. */
interface ExpressionContext {
  readonly current: CurrentRelease
  readonly executor: Executor
  /** Yields to the event loop. By default the instance has its own. */
  readonly turns?: LoopTurns | undefined
  readonly credentials: Authenticator
  readonly grants: Grants
  readonly files: FileCatalogue
  readonly sets: KeptSets
  /** Folder for responses in formats that must be complete on disk before they are sent. */
  readonly temporaryFolder: string
  readonly space: Pick<DiskSpace, 'guard'>
}

/** Maximum number of concurrent tables. Each has some buffers of 1 MiB. */
const MAX_TABLES = 32

/** Maximum number of concurrent statistical tests. Each uses all cores. */
const MAX_TESTS = 4

const DEFAULT_LIMITS: ExpressionLimits = {
  expressionCells: 120_000,
  expressionTestedCells: 1 << 28,
  expressionMemoryBytes: 1024 * 1024 * 1024,
}

/** Answers requests for expression values of the current release (data-commons.md 6.2 to 6.4). */
export class Expression {
  readonly #context: ExpressionContext
  readonly #limits: ExpressionLimits
  readonly #matrices: Matrices
  readonly #guards: ColumnGuards
  readonly #tables = new ValuesTables()
  readonly #turns: LoopTurns
  #openTables = 0
  #runningTests = 0

  constructor(context: ExpressionContext, limits: Partial<ExpressionLimits> = {}) {
    this.#context = context
    this.#turns = context.turns ?? new LoopTurns()
    this.#limits = { ...DEFAULT_LIMITS, ...limits }
    this.#matrices = new Matrices(context.executor, this.#limits.expressionMemoryBytes)
    this.#guards = new ColumnGuards(context)
  }

  /**
   * Returns as JSON which of the requested cases and genes have values. Needs no access rights.
   * @throws EngineError bad_input with the place of the error; unavailable, busy, corrupt_source
   */
  async availability(given: AvailabilityRequest, run: SearchRun = {}): Promise<SearchAnswer> {
    for (const [name, ids] of [
      ['case_ids', given.caseIds],
      ['gene_ids', given.geneIds],
    ] as const) {
      if (ids?.length === 0) throw missing(`parameter ${name} is empty; give at least one id`)
    }
    const [withCases, withGenes] = [hasCases(given), hasGenes(given)]
    if (!withCases && !withGenes) {
      throw missing('neither cases nor genes are given; give case_ids, case_filters or gene_ids')
    }
    const request = await withSetSources(given, this.#context.sets)
    const { geneIds } = request
    return this.#json(run, async (release, signal): Promise<Availability> => {
      const lookup = await this.#lookup(release, signal, run)
      const matrix = lookup.served?.matrix
      const cases = withCases ? await findCaseIds(request, lookup) : undefined
      return {
        ...(cases && {
          cases: await this.#turns.run(
            sectionOf(
              cases,
              (id) => matrix?.columns.has(id) ?? false,
              (case_id, values) => ({ case_id, ...values }),
            ),
          ),
        }),
        ...(geneIds && {
          genes: await this.#turns.run(
            sectionOf(
              geneIds,
              (id) => matrix?.rows.has(id) ?? false,
              (gene_id, values) => ({ gene_id, ...values }),
            ),
          ),
        }),
      }
    })
  }

  /**
   * Returns a table of the requested genes and cases that have values, both sorted by id (data-commons.md 6.3).
   * When the promise resolves, the request is valid and only the body remains to be sent.
   * @throws EngineError bad_input, also for too many cells; unauthenticated, forbidden; unavailable, busy,
   *   corrupt_source
   */
  async values(given: ValuesRequest, run: SearchRun = {}): Promise<SearchAnswer> {
    const { format, unit } = given
    const [withCases, withGenes] = [hasCases(given), hasGenes(given)]
    if (!withCases || !withGenes) throw missing('Both cases and genes are required.')
    const request = await withSetSources(given, this.#context.sets)
    return leasedAnswer(
      this.#context.current,
      CONTENT_TYPES[format],
      run,
      async (release, signal) => {
        const lookup = await this.#lookup(release, signal, run)
        const { columns, count } = await findColumns(request, lookup)
        this.#requireFewCells(count, request.geneIds ?? [])
        if (format === 'parquet' && columns.length > MAX_PARQUET_CASES) {
          const message = `Parquet is made of ${MAX_PARQUET_CASES} cases at most, not of ${columns.length}; use tsv or arrow`
          throw new EngineError('too_many', message)
        }
        await this.#guards.requireAccess(columns, request.token, lookup.served)
        await warnOfUnknownIds(request, lookup)
        if (isTextTable(format)) warnOfColumns(columns.length + 1, lookup.warnings)
        const rows = await lookup.turns.run(findGeneRows(request, lookup.served))
        const matrix = lookup.served?.matrix ?? NO_MATRIX
        return wholeOrBegun(
          this.#limited(this.#chunks({ matrix, columns, rows, unit }, format, signal)),
        )
      },
    )
  }

  /**
   * Returns as JSON the genes whose expression varies most over the requested cases (data-commons.md 6.4).
   * @throws EngineError like values
   */
  async geneSelection(given: GeneSelectionRequest, run: SearchRun = {}): Promise<SearchAnswer> {
    const { geneType, size, leastMedian, token } = given
    const [withCases, withGenes] = [hasCases(given), hasGenes(given)]
    if (withGenes === (geneType !== undefined)) {
      const named = withGenes
        ? 'both gene_ids and gene_type are'
        : 'neither gene_ids nor gene_type is'
      throw missing(`${named} given; give one of the two`)
    }
    if (!withCases) throw missing('no cases are given; give case_ids or case_filters')
    const request = await withSetSources(given, this.#context.sets)
    return this.#json(run, async (release, signal) => {
      const lookup = await this.#lookup(release, signal, run)
      const { columns } = await findColumns(request, lookup)
      if (!lookup.served) return { gene_selection: [] }
      await this.#guards.requireAccess(columns, token, lookup.served)
      await warnOfUnknownIds(request, lookup)
      const { matrix } = lookup.served
      const rows = geneType
        ? Uint32Array.from(matrix.geneIds.keys())
        : await lookup.turns.run(findGeneRows(request, lookup.served))
      const { executor } = this.#context
      const limits = { size, leastMedian }
      const genes = await selectGenes({ matrix, columns, rows }, limits, { executor, signal })
      return { gene_selection: genes }
    })
  }

  /**
   * Compares each gene between two groups of cases by Wilcoxon's rank-sum test with adjusted p-values (see
   * compareGroups). Returns JSON or a table. A case in both groups counts only for the first.
   * @throws EngineError like values; too_many cells
   */
  async differential(given: DifferentialRequest, run: SearchRun = {}): Promise<SearchAnswer> {
    const { otherCaseIds, otherCaseFilters, token } = given
    if (!hasCases(given)) throw missing('no cases are given; give case_ids or case_filters')
    const isOtherGiven = otherCaseIds !== undefined || otherCaseFilters !== undefined
    if (otherCaseIds !== undefined && otherCaseFilters !== undefined) {
      const message = 'other_case_ids and other_case_filters cannot be used together'
      throw new EngineError('bad_input', message, { at: 'other_case_ids' })
    }
    const request = await this.#withTestedGenes(given)
    return this.#answerTest(request, run, DIFFERENCE_COLUMNS, async (release, signal) => {
      const lookup = await this.#lookup(release, signal, run)
      const other = { caseIds: otherCaseIds, caseFilters: otherCaseFilters }
      const first = await findColumns(request, lookup)
      const second = isOtherGiven
        ? await findColumns(other, { ...lookup, at: 'other_case_filters' })
        : undefined
      if (!lookup.served) return { facts: { cases: 0, other_cases: 0 }, listed: [] }
      const { matrix } = lookup.served
      const groups = groupsOf(first.columns, second?.columns, matrix)
      const { columns } = groups
      const rows = await this.#testedRows(request, matrix, columns)
      await this.#guards.requireAccess(columns, token, lookup.served)
      const caseIds = [...(request.caseIds ?? []), ...(otherCaseIds ?? [])]
      await warnOfUnknownIds({ ...request, caseIds }, lookup)
      const facts = {
        cases: first.columns.length,
        other_cases: columns.length - first.columns.length,
      }
      if (facts.cases === 0 || facts.other_cases === 0) return { facts, listed: [] }
      const { executor } = this.#context
      const genes = await compareGroups({ matrix, rows, ...groups }, { executor, signal })
      return { facts, listed: genes }
    })
  }

  /**
   * Correlates one gene with each of the others over the requested cases, by Pearson's and Spearman's
   * correlation with adjusted p-values (see correlateGenes). Returns JSON or a table.
   * @throws EngineError like values; too_many cells
   */
  async coexpression(given: CoexpressionRequest, run: SearchRun = {}): Promise<SearchAnswer> {
    const { geneId, token } = given
    if (!hasCases(given)) throw missing('no cases are given; give case_ids or case_filters')
    const request = await this.#withTestedGenes(given)
    return this.#answerTest(request, run, CORRELATION_COLUMNS, async (release, signal) => {
      const lookup = await this.#lookup(release, signal, run)
      const { columns } = await findColumns(request, lookup)
      const gene = lookup.served?.matrix.rows.get(geneId)
      if (!lookup.served || gene === undefined) {
        const message = `gene ${geneId} has no expression values; /gene_expression/availability lists the genes that have`
        throw new EngineError('bad_input', message, { at: 'gene_id' })
      }
      const { matrix } = lookup.served
      const rows = await this.#testedRows(request, matrix, columns)
      await this.#guards.requireAccess(columns, token, lookup.served)
      await warnOfUnknownIds(request, lookup)
      const facts = { gene_id: geneId, symbol: matrix.symbols[gene] ?? null, cases: columns.length }
      if (columns.length === 0) return { facts, listed: [] }
      const { executor } = this.#context
      const genes = await correlateGenes({ matrix, columns, rows }, gene, { executor, signal })
      return { facts, listed: genes }
    })
  }

  /**
   * Returns the mean expression of some genes in each of the requested cases (see scoreCases). Returns JSON or a table.
   * @throws EngineError like values; too_many cells
   */
  async setScores(given: SetScoresRequest, run: SearchRun = {}): Promise<SearchAnswer> {
    const { method, token } = given
    if (!hasCases(given)) throw missing('no cases are given; give case_ids or case_filters')
    if (!hasGenes(given)) throw missing('no genes are given; give gene_ids or gene_set_id')
    const request = await this.#withTestedGenes(given)
    const score = async (release: Release, signal: AbortSignal) => {
      const lookup = await this.#lookup(release, signal, run)
      const { columns } = await findColumns(request, lookup)
      if (!lookup.served) return { facts: { method, genes: 0 }, listed: [] }
      const { matrix } = lookup.served
      const rows = await this.#testedRows(request, matrix, columns)
      await this.#guards.requireAccess(columns, token, lookup.served)
      await warnOfUnknownIds(request, lookup)
      const { executor } = this.#context
      const found = await scoreCases({ matrix, columns, rows }, method, { executor, signal })
      return { facts: { method, genes: found.genes }, listed: found.scores }
    }
    return this.#answerTest(request, run, SCORE_COLUMNS, score, 'cases')
  }

  /**
   * Returns the mean of log2(uqfpkm + 1) over some genes, by row of the case in a release that the caller holds open.
   * Cases that are not selected or have no value have NaN.
   * @throws EngineError like values; bad_input if no gene has values; too_many cells
   * @internal
   */
  async meansOf(
    { filter, geneIds, token }: MeansRequest,
    release: Release,
    run: SearchRun & { readonly signal: AbortSignal },
  ): Promise<Float64Array> {
    return this.#tested(async () => {
      const { signal } = run
      const lookup = await this.#lookup(release, signal, run)
      const { executor, served } = lookup
      const selected = await casesOf(filter, release, executor, signal)
      const columns = await columnsOf(selected, served)
      const rows = served && (await this.#testedRows({ geneIds }, served.matrix, columns))
      if (!served || !rows?.length) {
        const [first = ''] = geneIds
        const named =
          geneIds.length > 1
            ? `none of the ${geneIds.length} genes has`
            : `gene ${quotedName(first)} has no`
        const message = `${named} expression values; /gene_expression/availability tells which genes have`
        throw new EngineError('bad_input', message)
      }
      await this.#guards.requireAccess(columns, token, served)
      await warnOfUnknownIds({ geneIds }, lookup)
      const { matrix } = served
      const { scores } = await scoreCases({ matrix, columns, rows }, 'mean', { executor, signal })
      const caseRows = await served.caseRows()
      const means = new Float64Array((selected.at(-1) ?? -1) + 1).fill(Number.NaN)
      for (const [i, { score }] of scores.entries()) {
        if (score !== null) means[caseRows[columns[i]!]!] = score
      }
      return means
    })
  }

  /**
   * Checks the selection of genes, and replaces stored sets in the request by their members.
   * @throws EngineError bad_input for wrong genes; more as withSetSources
   */
  async #withTestedGenes<Request extends TestedGenes>(given: Request): Promise<Request> {
    hasGenes(given)
    if (given.geneIds?.length === 0) {
      throw missing('parameter gene_ids is empty; give at least one id, or leave it out for all')
    }
    return withSetSources(given, this.#context.sets)
  }

  /**
   * Runs a statistical test, and renders its facts and rows as JSON or a table.
   * @throws EngineError busy if too many are running
   */
  #answerTest<Row extends object>(
    request: TestedGenes,
    run: SearchRun,
    columns: readonly (keyof Row)[],
    test: (
      release: Release,
      signal: AbortSignal,
    ) => Promise<{ readonly facts: object; readonly listed: readonly Row[] }>,
    name: 'genes' | 'cases' = 'genes',
  ): Promise<SearchAnswer> {
    const { format } = request
    const { current } = this.#context
    return leasedAnswer(current, CONTENT_TYPES[format], run, async (release, signal) => {
      const { facts, listed } = await this.#tested(() => test(release, signal))
      if (format === 'json') return Buffer.from(JSON.stringify({ ...facts, [name]: listed }))
      return Buffer.from(textTable(listed, columns, format))
    })
  }

  /**
   * Runs a statistical test, at most MAX_TESTS at a time.
   * @throws EngineError busy if MAX_TESTS are running
   */
  async #tested<Result>(test: () => Promise<Result>): Promise<Result> {
    if (this.#runningTests >= MAX_TESTS) {
      throw new EngineError('busy', 'too many tests of expression are under way; try again soon')
    }
    this.#runningTests++
    try {
      return await test()
    } finally {
      this.#runningTests--
    }
  }

  /**
   * Yields the chunks of a table unchanged. At most MAX_TABLES tables are sent at a time.
   * @throws EngineError busy if MAX_TABLES are being sent
   */
  async *#limited(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, undefined> {
    if (this.#openTables >= MAX_TABLES) {
      throw new EngineError('busy', 'too many tables of expression are under way; try again soon')
    }
    this.#openTables++
    try {
      yield* chunks
    } finally {
      this.#openTables--
    }
  }

  /** Returns the chunks of a table of values in the requested format. */
  #chunks(requested: RequestedValues, format: ValuesFormat, signal: AbortSignal) {
    const { executor, temporaryFolder, space } = this.#context
    const run: ValuesRun = { executor, signal }
    if (format === 'arrow') return arrowChunks(requested, run)
    if (format === 'parquet') {
      return parquetChunks(requested, { ...run, temporaryFolder, space }, this.#tables)
    }
    return this.#tables.chunks(requested, run, { table: format })
  }

  /** Opens the matrix of a release and returns the context for finding cases and genes in it. */
  async #lookup(release: Release, signal: AbortSignal, { warnings = new Warnings() }: SearchRun) {
    const { executor } = this.#context
    const served = await this.#matrices.of(release)
    return { release, served, executor, signal, warnings, turns: this.#turns }
  }

  /**
   * Checks the limit on the number of values.
   * @throws EngineError too_many if it is exceeded
   */
  #requireFewCells(countCases: () => number, geneIds: readonly string[]): void {
    const most = this.#limits.expressionCells
    if (most === 0) return
    const [cases, genes] = [countCases(), new Set(geneIds).size]
    if (cases * genes <= most) return
    const message = `${cases} cases and ${genes} genes are ${cases * genes} values; request at most ${most}`
    throw new EngineError('too_many', message)
  }

  /**
   * Returns the row numbers of the genes to test.
   * @throws EngineError too_many for more values than may be tested
   */
  async #testedRows(
    request: GeneSources,
    matrix: Matrix,
    columns: Uint32Array,
  ): Promise<Uint32Array> {
    const rows = request.geneIds
      ? await this.#turns.run(findGeneRows(request, { matrix }))
      : Uint32Array.from(matrix.geneIds.keys())
    const cells = rows.length * columns.length
    const most = this.#limits.expressionTestedCells
    if (cells <= most) return rows
    const message = `${columns.length} cases and ${rows.length} genes are ${cells} values; request at most ${most}`
    throw new EngineError('too_many', message)
  }

  /** Leases the current release and renders the result of `make` as JSON. */
  #json(
    run: SearchRun,
    make: (release: Release, signal: AbortSignal) => Promise<unknown>,
  ): Promise<SearchAnswer> {
    return leasedAnswer(this.#context.current, CONTENT_TYPES.json, run, async (release, signal) =>
      Buffer.from(await writeJson(await make(release, signal), this.#turns)),
    )
  }
}

function missing(message: string): EngineError {
  return new EngineError('bad_input', message)
}

/** Column order of the table of differences. */
const DIFFERENCE_COLUMNS: readonly (keyof GeneDifference)[] = [
  ...(['gene_id', 'symbol', 'cases', 'other_cases', 'log2_uqfpkm_median'] as const),
  ...(['other_log2_uqfpkm_median', 'log2_fold_change', 'statistic', 'method'] as const),
  ...(['p_value', 'adjusted_p_value'] as const),
]
const CORRELATION_COLUMNS: readonly (keyof GeneCorrelation)[] = [
  ...(['gene_id', 'symbol', 'cases', 'pearson', 'pearson_p_value'] as const),
  ...(['pearson_adjusted_p_value', 'spearman', 'spearman_p_value'] as const),
  'spearman_adjusted_p_value',
]

const SCORE_COLUMNS: readonly (keyof SetScore)[] = ['case_id', 'genes', 'score']

/** Renders a table with the named members of each row as columns. */
function textTable<Row extends object>(
  rows: readonly Row[],
  columns: readonly (keyof Row)[],
  form: TableForm,
): string {
  const lines = rows.map((row) =>
    columns.map((name) => {
      const cell = cellOf(row[name] as string | number | null, false)
      return form === 'csv' ? csvCell(cell) : cell
    }),
  )
  const separator = form === 'csv' ? ',' : '\t'
  return [columns, ...lines].map((cells) => `${cells.join(separator)}\n`).join('')
}

/**
 * Returns the columns of both groups, ascending, and which of them belong to the first group. If no second group
 * is given, it consists of all other columns.
 */
function groupsOf(first: Uint32Array, second: Uint32Array | undefined, { cases }: Matrix) {
  const marks = new Uint8Array(cases.length).fill(second ? 0 : 1)
  const isOfFirst = new Uint8Array(cases.length)
  for (const column of second ?? []) marks[column] = 1
  for (const column of first) {
    marks[column] = 1
    isOfFirst[column] = 1
  }
  const columns = markedPlaces(marks)
  const isFirst = new Uint8Array(new SharedArrayBuffer(columns.length))
  for (const [place, column] of columns.entries()) isFirst[place] = isOfFirst[column]!
  return { columns, isFirst }
}
