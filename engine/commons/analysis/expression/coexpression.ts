import { adjustedPValues } from '../statistics/adjusted-p-values.ts'
import { CORRELATIONS_PER_ROW, correlationsJob, logsJob } from './coexpression-job.ts'
import { type MeasuredCells, measureRows, numberOrNull, SORTED_JOB_CELLS } from './measured-rows.ts'
import type { ValuesRun } from './requested-values.ts'

/** Correlation of one gene with another gene. A number that cannot be computed is null. */
export interface GeneCorrelation {
  readonly gene_id: string
  readonly symbol: string | null
  /** Number of cases in which both genes have a value. */
  readonly cases: number
  readonly pearson: number | null
  readonly pearson_p_value: number | null
  readonly pearson_adjusted_p_value: number | null
  readonly spearman: number | null
  readonly spearman_p_value: number | null
  readonly spearman_adjusted_p_value: number | null
}

/**
 * Correlates one gene with each of the given rows except its own row, over the given columns. Results are sorted
 * by the absolute value of Spearman's correlation, descending, then by gene id.
 * @param gene row number of the gene
 * @throws EngineError busy if too many jobs are waiting
 */
export async function correlateGenes(
  all: MeasuredCells,
  gene: number,
  run: ValuesRun,
): Promise<readonly GeneCorrelation[]> {
  const requested = { ...all, rows: all.rows.filter((row) => row !== gene) }
  const { length } = all.columns
  const logs = await measureRows({ ...all, rows: Uint32Array.of(gene) }, run, {
    perRow: length,
    jobCells: SORTED_JOB_CELLS,
    measure: ({ executor, part, options }) => executor.run(logsJob, part, options),
  })
  const shared = new Float64Array(new SharedArrayBuffer(8 * length))
  shared.set(logs)
  const numbers = await measureRows(requested, run, {
    perRow: CORRELATIONS_PER_ROW,
    jobCells: SORTED_JOB_CELLS,
    measure: ({ executor, part, options }) =>
      executor.run(correlationsJob, { part, gene: shared }, options),
  })
  const at = (place: number, which: number) => numbers[CORRELATIONS_PER_ROW * place + which]!
  const adjusted = (which: number) =>
    adjustedPValues(Float64Array.from(requested.rows, (_, place) => at(place, which)))
  const [ofPearson, ofSpearman] = [adjusted(2), adjusted(4)]
  const { geneIds, symbols } = requested.matrix
  const correlations = Array.from(
    requested.rows,
    (row, place): GeneCorrelation => ({
      gene_id: geneIds[row] ?? '',
      symbol: symbols[row] ?? null,
      cases: at(place, 0),
      pearson: numberOrNull(at(place, 1)),
      pearson_p_value: numberOrNull(at(place, 2)),
      pearson_adjusted_p_value: numberOrNull(ofPearson[place]),
      spearman: numberOrNull(at(place, 3)),
      spearman_p_value: numberOrNull(at(place, 4)),
      spearman_adjusted_p_value: numberOrNull(ofSpearman[place]),
    }),
  )
  // Rows are in order of gene id and the sort is stable, so equal values stay sorted by id.
  return correlations.sort((a, b) => Math.abs(b.spearman ?? 0) - Math.abs(a.spearman ?? 0))
}
