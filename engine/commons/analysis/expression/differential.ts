import { adjustedPValues } from '../statistics/adjusted-p-values.ts'
import { DIFFERENCES_PER_ROW, differencesJob } from './differential-job.ts'
import { type MeasuredCells, measureRows, numberOrNull, SORTED_JOB_CELLS } from './measured-rows.ts'
import type { ValuesRun } from './requested-values.ts'

/** Difference of a gene between two groups of cases. Numbers that cannot be computed are null. */
export interface GeneDifference {
  readonly gene_id: string
  readonly symbol: string | null
  /** Number of cases with a value in the first group. `other_cases` is the number in the second group. */
  readonly cases: number
  readonly other_cases: number
  readonly log2_uqfpkm_median: number | null
  readonly other_log2_uqfpkm_median: number | null
  /** Mean of log2(value + 1) in the first group minus that in the second. */
  readonly log2_fold_change: number | null
  readonly statistic: number | null
  readonly method: 'exact' | 'normal'
  readonly p_value: number | null
  readonly adjusted_p_value: number | null
}

interface ComparedCells extends MeasuredCells {
  /** Group of each column, as in RowsToCompare. */
  readonly isFirst: Uint8Array
}

/**
 * Compares the values of each gene between two groups of cases by Wilcoxon's rank-sum test, with p-values
 * adjusted for the number of genes. Sorted by p-value, then by absolute fold change, descending, then by gene
 * id.
 * @throws EngineError busy if too many jobs are waiting
 */
export async function compareGroups(
  { isFirst, ...requested }: ComparedCells,
  run: ValuesRun,
): Promise<readonly GeneDifference[]> {
  const numbers = await measureRows(requested, run, {
    perRow: DIFFERENCES_PER_ROW,
    jobCells: SORTED_JOB_CELLS,
    measure: ({ executor, part, options }) =>
      executor.run(differencesJob, { part, isFirst }, options),
  })
  const of = (place: number) =>
    numbers.subarray(DIFFERENCES_PER_ROW * place, DIFFERENCES_PER_ROW * (place + 1))
  const adjusted = adjustedPValues(Float64Array.from(requested.rows, (_, place) => of(place)[6]!))
  const { geneIds, symbols } = requested.matrix
  const differences = Array.from(requested.rows, (row, place): GeneDifference => {
    const [m = 0, n = 0, median, other, change, statistic, pValue, isExact] = of(place)
    return {
      gene_id: geneIds[row] ?? '',
      symbol: symbols[row] ?? null,
      cases: m,
      other_cases: n,
      log2_uqfpkm_median: numberOrNull(median),
      other_log2_uqfpkm_median: numberOrNull(other),
      log2_fold_change: numberOrNull(change),
      statistic: m > 0 && n > 0 ? numberOrNull(statistic) : null,
      method: isExact === 1 ? 'exact' : 'normal',
      p_value: numberOrNull(pValue),
      adjusted_p_value: numberOrNull(adjusted[place]),
    }
  })
  // Rows are in order of gene id and the sort is stable, so equal values stay sorted by id.
  return differences.sort(
    (a, b) => (a.p_value ?? 2) - (b.p_value ?? 2) || changeOf(b) - changeOf(a),
  )
}

const changeOf = ({ log2_fold_change: change }: GeneDifference) => Math.abs(change ?? 0)
