import { type MeasuredCells, measureRows, type RowsRun } from './measured-rows.ts'
import type { ValuesRun } from './requested-values.ts'
import { ROUGH_SPREAD_ERROR } from './rough-spread.ts'
import { mediansJob, roughSpreadsJob, spreadsJob } from './spread-job.ts'

interface SelectedGene {
  readonly log2_uqfpkm_stddev: number
  readonly log2_uqfpkm_median: number
  readonly gene_id: string
  readonly symbol: string | null
}

interface SelectionLimits {
  /** Maximum number of genes to select. */
  readonly size: number
  /** Genes are not selected if their median of log2(value + 1) is below this number. */
  readonly leastMedian: number
}

/** Genes with a smaller standard deviation are not selected (data-commons.md 6.4). */
const MIN_SPREAD = 0.0001
/** Number of cells per job. A job takes a few milliseconds. */
const JOB_CELLS = 1 << 20

/**
 * Selects the genes whose expression varies most over the cases (data-commons.md 6.4). Sorts them by standard
 * deviation, then by median, both descending, then by gene id. The result does not depend on how the work is
 * split into jobs.
 * @throws EngineError busy if too many jobs are waiting
 */
export async function selectGenes(
  all: MeasuredCells,
  limits: SelectionLimits,
  run: ValuesRun,
): Promise<readonly SelectedGene[]> {
  if (all.columns.length === 0) return []
  const { size, leastMedian } = limits
  const requested = { ...all, rows: await likelyRows(all, limits, run) }
  const spreads = await byRow(requested, run, ({ executor, part, options }) =>
    executor.run(spreadsJob, { part, leastMedian }, options),
  )
  const order = Uint32Array.from(requested.rows.keys())
    .filter((i) => spreadAt(i) > MIN_SPREAD)
    .sort((a, b) => spreadAt(b) - spreadAt(a))
  function spreadAt(i: number): number {
    return spreads[i]!
  }
  // Medians are computed only for the selected genes, and for genes whose spread equals that of the last one.
  let end = Math.min(size, order.length)
  while (end < order.length && spreadAt(order[end]!) === spreadAt(order[end - 1]!)) {
    end++
  }
  const retained = order.subarray(0, end)
  const rows = retained.map((i) => requested.rows[i]!)
  // Rows are read in file order, because a matrix larger than memory is read in pages.
  const ascending = rows.toSorted()
  const found = await byRow({ ...requested, rows: ascending }, run, ({ executor, part, options }) =>
    executor.run(mediansJob, part, options),
  )
  const medians = new Map(Array.from(ascending, (row, i) => [row, found[i]!]))
  const { geneIds, symbols } = requested.matrix
  return Array.from(rows, (row, place) => ({
    row,
    log2_uqfpkm_stddev: spreadAt(retained[place]!),
    log2_uqfpkm_median: medians.get(row)!,
  }))
    .sort(
      (a, b) =>
        b.log2_uqfpkm_stddev - a.log2_uqfpkm_stddev ||
        a.log2_uqfpkm_median - b.log2_uqfpkm_median ||
        a.row - b.row,
    )
    .slice(0, size)
    .map(({ row, ...numbers }) => ({
      ...numbers,
      gene_id: geneIds[row] ?? '',
      symbol: symbols[row] ?? null,
    }))
}

/** Minimum ratio of candidate genes to selected genes for which a first approximate pass saves time. */
const WORTH_A_LOOK = 4

/** Returns candidate rows by a fast approximate pass. They include all rows that an exact pass would select. */
async function likelyRows(
  requested: MeasuredCells,
  { size, leastMedian }: SelectionLimits,
  run: ValuesRun,
): Promise<Uint32Array> {
  const { matrix, rows } = requested
  if (matrix.kind !== 'fixed' || rows.length < WORTH_A_LOOK * size) return rows
  const rough = await byRow(requested, run, ({ executor, part, options }) =>
    executor.run(roughSpreadsJob, { part, leastMedian }, options),
  )
  const descending = rough
    .filter((spread) => !Number.isNaN(spread))
    .sort()
    .reverse()
  const last = descending[size - 1] ?? 0
  // The error counts twice, because two deviations are compared. A negative bound excludes nothing.
  const least = last - 2 * ROUGH_SPREAD_ERROR
  return rows.filter((_, i) => rough[i]! >= least)
}

const byRow = (
  requested: MeasuredCells,
  run: ValuesRun,
  measure: (run: RowsRun) => Promise<Float64Array>,
) => measureRows(requested, run, { perRow: 1, jobCells: JOB_CELLS, measure })
