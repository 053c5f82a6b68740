import type { ValuesRun } from './asked-values.ts'
import { type MeasuredCells, measureRows, type RowsRun } from './measured-rows.ts'
import { ROUGH_SPREAD_ERROR } from './rough-spread.ts'
import { mediansJob, roughSpreadsJob, spreadsJob } from './spread-job.ts'

export interface SelectedGene {
  readonly log2_uqfpkm_stddev: number
  readonly log2_uqfpkm_median: number
  readonly gene_id: string
  readonly symbol: string | null
}

export interface SelectionLimits {
  /** Most genes to select. */
  readonly size: number
  /** Genes whose median logarithm is below are dropped. */
  readonly leastMedian: number
}

/** Genes that hardly vary are dropped (data-commons.md 6.4). */
const MIN_SPREAD = 0.0001
/** Cells of a job: a few milliseconds. */
const JOB_CELLS = 1 << 20

/**
 * The genes that vary most over the cases (data-commons.md 6.4): by standard deviation, greatest first, of
 * equal ones by median, then by id. The order does not depend on how the work is shared out.
 * @throws EngineError busy
 */
export async function selectGenes(
  all: MeasuredCells,
  limits: SelectionLimits,
  run: ValuesRun,
): Promise<readonly SelectedGene[]> {
  if (all.columns.length === 0) return []
  const { size, leastMedian } = limits
  const asked = { ...all, rows: await likelyRows(all, limits, run) }
  const spreads = await byRow(asked, run, ({ executor, part, options }) =>
    executor.run(spreadsJob, { part, leastMedian }, options),
  )
  const order = Uint32Array.from(asked.rows.keys())
    .filter((i) => spreadAt(i) > MIN_SPREAD)
    .sort((a, b) => spreadAt(b) - spreadAt(a))
  function spreadAt(i: number): number {
    return spreads[i]!
  }
  // Medians are for what is answered, and for what varies as much as the last of these.
  let end = Math.min(size, order.length)
  while (end < order.length && spreadAt(order[end]!) === spreadAt(order[end - 1]!)) {
    end++
  }
  const retained = order.subarray(0, end)
  const rows = retained.map((i) => asked.rows[i]!)
  // A matrix that lies in its file is read in the order of its rows.
  const ascending = rows.toSorted()
  const found = await byRow({ ...asked, rows: ascending }, run, ({ executor, part, options }) =>
    executor.run(mediansJob, part, options),
  )
  const medians = new Map(Array.from(ascending, (row, i) => [row, found[i]!]))
  const { geneIds, symbols } = asked.matrix
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

/** Of so many times the genes that are wanted, a rough look shows that most are none of them. */
const WORTH_A_LOOK = 4

/** Rows among which all that are selected are. */
async function likelyRows(
  asked: MeasuredCells,
  { size, leastMedian }: SelectionLimits,
  run: ValuesRun,
): Promise<Uint32Array> {
  const { matrix, rows } = asked
  if (matrix.kind !== 'fixed' || rows.length < WORTH_A_LOOK * size) return rows
  const rough = await byRow(asked, run, ({ executor, part, options }) =>
    executor.run(roughSpreadsJob, { part, leastMedian }, options),
  )
  const descending = rough
    .filter((spread) => !Number.isNaN(spread))
    .sort()
    .reverse()
  const last = descending[size - 1] ?? 0
  // One may be measured too low, another too high. Below zero is everything: that shows nothing.
  const least = last - 2 * ROUGH_SPREAD_ERROR
  return rows.filter((_, i) => rough[i]! >= least)
}

const byRow = (
  asked: MeasuredCells,
  run: ValuesRun,
  measure: (run: RowsRun) => Promise<Float64Array>,
) => measureRows(asked, run, { perRow: 1, jobCells: JOB_CELLS, measure })
