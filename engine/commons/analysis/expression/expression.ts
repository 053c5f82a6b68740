import type { TokenStore } from '../../../shared/access/tokens.ts'
import type { FileCatalogue } from '../../../shared/catalogue/files.ts'
import { EngineError } from '../../../shared/errors.ts'
import type { Executor } from '../../../shared/executor.ts'
import type { TableForm } from '../../../shared/formats/table-cells.ts'
import { Warnings } from '../../../shared/input/warnings.ts'
import type { Release } from '../../release/release.ts'
import { wholeOrBegun } from '../../search/body.ts'
import type { CurrentRelease } from '../../search/current-release.ts'
import { leasedAnswer, type SearchAnswer, type SearchRun } from '../../search/leased-answer.ts'
import { CONTENT_TYPES } from '../../search/search.ts'
import { isTextTable, warnOfColumns } from '../../search/table-warnings.ts'
import { askedCaseIds, askedCases, askedRows, warnOfPlaces } from './asked-places.ts'
import type { AskedValues, ValuesRun } from './asked-values.ts'
import { type Availability, sectionOf } from './availability.ts'
import { type CaseSources, type GeneSources, hasCases, hasGenes } from './case-sources.ts'
import { ColumnGuards } from './column-guards.ts'
import { selectGenes } from './gene-selection.ts'
import { Matrices } from './matrices.ts'
import { NO_MATRIX } from './open-matrix.ts'
import type { ExpressionUnit } from './unit-values.ts'
import { arrowChunks, MAX_PARQUET_CASES, parquetChunks } from './values-files.ts'
import { ValuesTables } from './values-table.ts'

export type AvailabilityRequest = CaseSources & GeneSources

export interface ValuesRequest extends CaseSources, GeneSources {
  readonly unit: ExpressionUnit
  readonly format: ValuesFormat
  /** The token's secret as it was sent; open cases never look at it. */
  readonly token: string | undefined
}

export type ValuesFormat = TableForm | 'arrow' | 'parquet'

export interface GeneSelectionRequest extends CaseSources, GeneSources {
  /** In place of genes: all that have values. */
  readonly geneType: 'protein_coding' | undefined
  /** Most genes to select, from 1. */
  readonly size: number
  /** Genes whose median of log2(value + 1) is below are left out. */
  readonly leastMedian: number
  readonly token: string | undefined
}

export interface ExpressionLimits {
  /** Cases times genes of one table; 0 is no limit. */
  readonly expressionCells: number
  /**
   * What a release's matrix may take in memory; of a larger one, half of this is for the values that were
   * asked for last.
   */
  readonly expressionMemoryBytes: number
}

export interface ExpressionContext {
  readonly current: CurrentRelease
  readonly executor: Executor
  readonly tokens: TokenStore
  readonly files: FileCatalogue
  /** For what has to be a file before it can be sent. */
  readonly temporaryFolder: string
}

/** Tables that are taken at the same time, each with some buffers of 1 MiB. */
const MAX_TABLES = 32

const DEFAULT_LIMITS: ExpressionLimits = {
  expressionCells: 120_000,
  expressionMemoryBytes: 1024 * 1024 * 1024,
}

/** Expression of cases out of the matrix of the current release (data-commons.md 6.2 to 6.4). */
export class Expression {
  readonly #context: ExpressionContext
  readonly #limits: ExpressionLimits
  readonly #matrices: Matrices
  readonly #guards: ColumnGuards
  readonly #tables = new ValuesTables()
  #tablesUnderWay = 0

  constructor(context: ExpressionContext, limits: Partial<ExpressionLimits> = {}) {
    this.#context = context
    this.#limits = { ...DEFAULT_LIMITS, ...limits }
    this.#matrices = new Matrices(context.executor, this.#limits.expressionMemoryBytes)
    this.#guards = new ColumnGuards(context)
  }

  /**
   * Which cases and genes have values, as JSON. Everybody may know.
   * @throws EngineError bad_input naming the place; unavailable, busy, corrupt_source
   */
  availability(request: AvailabilityRequest, run: SearchRun = {}): Promise<SearchAnswer> {
    const { caseIds, geneIds } = request
    for (const [name, ids] of [
      ['case_ids', caseIds],
      ['gene_ids', geneIds],
    ] as const) {
      if (ids?.length === 0) throw missing(`parameter ${name} is empty; give at least one id`)
    }
    const [withCases, withGenes] = [hasCases(request), hasGenes(request)]
    if (!withCases && !withGenes) {
      throw missing('neither cases nor genes are given; give case_ids, case_filters or gene_ids')
    }
    return this.#json(run, async (release, signal): Promise<Availability> => {
      const asked = await this.#askedOf(release, signal, run)
      const matrix = asked.served?.matrix
      const cases = withCases ? await askedCaseIds(request, asked) : undefined
      return {
        ...(cases && {
          cases: sectionOf(
            cases,
            (id) => matrix?.columns.has(id) ?? false,
            (case_id, values) => ({ case_id, ...values }),
          ),
        }),
        ...(geneIds && {
          genes: sectionOf(
            geneIds,
            (id) => matrix?.rows.has(id) ?? false,
            (gene_id, values) => ({ gene_id, ...values }),
          ),
        }),
      }
    })
  }

  /**
   * A table of the genes and cases that have values, both ascending (data-commons.md 6.3). The status of an
   * answer can be decided when this resolves.
   * @throws EngineError bad_input, also for too many cells; unauthenticated, forbidden; unavailable,
   *   busy, corrupt_source
   */
  values(request: ValuesRequest, run: SearchRun = {}): Promise<SearchAnswer> {
    const { format, unit } = request
    const [withCases, withGenes] = [hasCases(request), hasGenes(request)]
    if (!withCases || !withGenes) throw missing('Both cases and genes are required.')
    return leasedAnswer(
      this.#context.current,
      CONTENT_TYPES[format],
      run,
      async (release, signal) => {
        const asked = await this.#askedOf(release, signal, run)
        const { columns, count } = await askedCases(request, asked)
        this.#mustBeFew(count, request.geneIds ?? [])
        if (format === 'parquet' && columns.length > MAX_PARQUET_CASES) {
          const message = `Parquet is made of ${MAX_PARQUET_CASES} cases at most, not of ${columns.length}; use tsv or arrow`
          throw new EngineError('too_many', message)
        }
        await this.#guards.mustRead(columns, request.token, asked.served)
        await warnOfPlaces(request, asked)
        if (isTextTable(format)) warnOfColumns(columns.length + 1, asked.warnings)
        const rows = askedRows(request, asked.served)
        const matrix = asked.served?.matrix ?? NO_MATRIX
        return wholeOrBegun(
          this.#counted(this.#chunks({ matrix, columns, rows, unit }, format, signal)),
        )
      },
    )
  }

  /**
   * The genes that vary most over the cases, as JSON (data-commons.md 6.4).
   * @throws EngineError as values
   */
  geneSelection(request: GeneSelectionRequest, run: SearchRun = {}): Promise<SearchAnswer> {
    const { geneType, size, leastMedian, token } = request
    const [withCases, withGenes] = [hasCases(request), hasGenes(request)]
    if (withGenes === (geneType !== undefined)) {
      const given = withGenes
        ? 'both gene_ids and gene_type are'
        : 'neither gene_ids nor gene_type is'
      throw missing(`${given} given; give one of the two`)
    }
    if (!withCases) throw missing('no cases are given; give case_ids or case_filters')
    return this.#json(run, async (release, signal) => {
      const asked = await this.#askedOf(release, signal, run)
      const { columns } = await askedCases(request, asked)
      if (!asked.served) return { gene_selection: [] }
      await this.#guards.mustRead(columns, token, asked.served)
      await warnOfPlaces(request, asked)
      const { matrix } = asked.served
      const rows = geneType
        ? Uint32Array.from(matrix.geneIds.keys())
        : askedRows(request, asked.served)
      const { executor } = this.#context
      const limits = { size, leastMedian }
      const genes = await selectGenes({ matrix, columns, rows }, limits, { executor, signal })
      return { gene_selection: genes }
    })
  }

  async *#counted(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, undefined> {
    if (this.#tablesUnderWay >= MAX_TABLES) {
      throw new EngineError('busy', 'too many tables of expression are under way; try again soon')
    }
    this.#tablesUnderWay++
    try {
      yield* chunks
    } finally {
      this.#tablesUnderWay--
    }
  }

  #chunks(asked: AskedValues, format: ValuesFormat, signal: AbortSignal) {
    const { executor, temporaryFolder } = this.#context
    const run: ValuesRun = { executor, signal }
    if (format === 'arrow') return arrowChunks(asked, run)
    if (format === 'parquet') return parquetChunks(asked, { ...run, temporaryFolder }, this.#tables)
    return this.#tables.chunks(asked, run, { table: format })
  }

  async #askedOf(release: Release, signal: AbortSignal, { warnings = new Warnings() }: SearchRun) {
    const { executor } = this.#context
    return { release, served: await this.#matrices.of(release), executor, signal, warnings }
  }

  #mustBeFew(countCases: () => number, geneIds: readonly string[]): void {
    const most = this.#limits.expressionCells
    if (most === 0) return
    const [cases, genes] = [countCases(), new Set(geneIds).size]
    if (cases * genes <= most) return
    const message = `${cases} cases and ${genes} genes are ${cases * genes} values; ask for at most ${most}`
    throw new EngineError('too_many', message)
  }

  #json(
    run: SearchRun,
    make: (release: Release, signal: AbortSignal) => Promise<unknown>,
  ): Promise<SearchAnswer> {
    return leasedAnswer(this.#context.current, CONTENT_TYPES.json, run, async (release, signal) =>
      Buffer.from(JSON.stringify(await make(release, signal))),
    )
  }
}

function missing(message: string): EngineError {
  return new EngineError('bad_input', message)
}
