import { chiSquareUpperTail } from './chi-square.ts'
import { noncentralities } from './noncentral-chi-square.ts'

/** Pearson's chi-square test of a table of counts, and Cramér's V. */
interface ChiSquareTest {
  readonly statistic: number
  readonly degreesFreedom: number
  readonly pValue: number
  /** Strength of the association, 0 to 1. */
  readonly cramersV: number
}

interface ContingencyTest extends ChiSquareTest {
  /** 95 % confidence interval of Cramér's V. */
  readonly lower: number
  readonly upper: number
}

/** Removes rows and columns without counts, which say nothing about an association. */
export function withoutEmpty(
  table: readonly (readonly number[])[],
): readonly (readonly number[])[] {
  const rows = table.filter((row) => row.some((count) => count > 0))
  const kept = (rows[0] ?? []).flatMap((_, j) => (rows.some((row) => row[j]! > 0) ? j : []))
  return rows.map((row) => kept.map((j) => row[j]!))
}

/**
 * Pearson's chi-square test without a correction for continuity, like R's `chisq.test(correct = FALSE)`.
 * @param table at least two rows and two columns, each with counts
 */
export function chiSquareTest(table: readonly (readonly number[])[]): ChiSquareTest {
  const rows = table.map((row) => row.reduce((sum, count) => sum + count, 0))
  const columns = table[0]!.map((_, j) => table.reduce((sum, row) => sum + row[j]!, 0))
  const total = rows.reduce((sum, count) => sum + count, 0)
  let statistic = 0
  for (const [i, row] of table.entries()) {
    for (const [j, count] of row.entries()) {
      const expected = (rows[i]! * columns[j]!) / total
      statistic += (count - expected) ** 2 / expected
    }
  }
  const degreesFreedom = (rows.length - 1) * (columns.length - 1)
  const scale = total * Math.min(rows.length - 1, columns.length - 1)
  return {
    statistic,
    degreesFreedom,
    pValue: chiSquareUpperTail(statistic, degreesFreedom),
    cramersV: Math.min(1, Math.sqrt(statistic / scale)),
  }
}

/**
 * Chi-square test with the 95 % confidence interval of Cramér's V, which is that of the noncentrality plus the
 * degrees of freedom (Smithson 2003). It begins at 0 if the test does not reject at 2.5 %.
 * @param table at least two rows and two columns, each with counts
 */
export function contingencyTest(table: readonly (readonly number[])[]): ContingencyTest {
  const test = chiSquareTest(table)
  const { statistic, degreesFreedom } = test
  const total = table.flat().reduce((sum, count) => sum + count, 0)
  const scale = total * Math.min(table.length - 1, table[0]!.length - 1)
  const { lower, upper } = noncentralities(statistic, degreesFreedom)
  const strength = (amount: number) => Math.min(1, Math.sqrt(amount / scale))
  return {
    ...test,
    lower: lower === 0 ? 0 : strength(lower + degreesFreedom),
    upper: strength(upper + degreesFreedom),
  }
}
