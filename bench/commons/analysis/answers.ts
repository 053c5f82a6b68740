import { differenceOf } from '../search/answers.ts'
import type { Question } from './questions.ts'

/** What has to be the same, whoever answers. */
export interface Answer {
  /** A table with a header, as it came. */
  readonly table?: Buffer
  /** Lists and records, brought into one form by whoever reads the answer. */
  readonly value?: unknown
}

/** `[gene id, symbol, standard deviation, median]`, in order. */
type Selected = readonly [gene: string, symbol: string, deviation: number, median: number]

/** `[gene id, fold change, statistic, exponent of p, of the corrected p]`, by gene. */
type Differences = readonly (readonly [string, ...(number | null)[]])[]

/** The exponent to 10: small probabilities are compared by proportion. 0 to a computer is 1e-300. */
export const exponentOf = (probability: number | null) =>
  probability === null ? null : Math.log10(Math.max(probability, 1e-300))

/** Per curve its donors and the estimate at every time; what the curves' comparison gives. */
export interface Survival {
  readonly curves: readonly {
    readonly donors: number
    readonly steps: readonly (readonly [time: number, estimate: number])[]
  }[]
  readonly chiSquared: number
}

/** Rows that have any, and the first ten. */
interface Top {
  readonly total: number
  readonly top: readonly (readonly [id: string, count: number])[]
}

interface Buckets {
  readonly total: number
  readonly buckets: readonly (readonly unknown[])[]
}

/** Per gene its id, and the names and numbers of its cells. */
export type Cells = readonly (readonly [gene: string, names: readonly string[], values: number[]])[]

/** Numbers that differ by less, in proportion or from zero, pass for equal. */
const TOLERANCE = 1e-9

function areAlike(ours: unknown, theirs: unknown): boolean {
  if (typeof ours !== 'number' || typeof theirs !== 'number') return Object.is(ours, theirs)
  return Math.abs(ours - theirs) <= TOLERANCE * Math.max(1, Math.abs(theirs))
}

/** Where two answers differ first, in words. */
export function differenceBetween(ours: Answer, theirs: Answer): string | undefined {
  if (ours.table && theirs.table) return tableDifference(ours.table, theirs.table)
  return differenceOf(ours.value, theirs.value, 'the answer', areAlike)
}

/** Tables are equal to the byte, or cell for cell when the parties print numbers differently. */
function tableDifference(ours: Buffer, theirs: Buffer): string | undefined {
  if (ours.equals(theirs)) return undefined
  const [lines, others] = [linesOf(ours), linesOf(theirs)]
  for (let row = 0; ; row++) {
    const [line, other] = [lines.next().value, others.next().value]
    if (line === undefined && other === undefined) return undefined
    if (line === other) continue
    const [cells, otherCells] = [line?.split('\t') ?? [], other?.split('\t') ?? []]
    const column = cells.findIndex((cell, i) => !areAlikeTexts(cell, otherCells[i]))
    if (column < 0 && cells.length === otherCells.length) continue
    const told = `${cells[Math.max(column, 0)]} and ${otherCells[Math.max(column, 0)]}`
    return `line ${row + 1}, column ${column + 1}: ${told}`
  }
}

const areAlikeTexts = (cell: string, other: string | undefined) =>
  cell === other || (cell !== '' && !!other && areAlike(Number(cell), Number(other)))

function* linesOf(table: Buffer): Generator<string, undefined> {
  for (let start = 0; start < table.length; ) {
    const end = table.indexOf(10, start)
    const stop = end < 0 ? table.length : end
    yield table.toString('latin1', start, stop)
    start = stop + 1
  }
  return undefined
}

const sum = (numbers: readonly number[]) => numbers.reduce((all, number) => all + number, 0)

/** Few enough digits that neither the order of additions nor a logarithm's last digit shows. */
const rounded = (number: number) => Number(number.toPrecision(8))

/**
 * What of an answer is pinned. Of a table its lines, its columns and the sum of the absolute values;
 * of tests how many genes, and the sum of each number;
 * of a selection how many genes, the first one, and the sums of deviations and medians; of survival
 * the donors and times of each curve, the last estimates' sum and chi squared; of lists the total and
 * the sum of their counts; of cells how many numbers and their sum.
 */
export function pinnedOf({ kind }: Question, { table, value }: Answer): readonly unknown[] {
  switch (kind) {
    case 'values':
      return table ? tableFacts(table) : []
    case 'selection': {
      const genes = value as readonly Selected[]
      const [deviations, medians] = [genes.map((gene) => gene[2]), genes.map((gene) => gene[3])]
      return [genes.length, genes[0]?.[0], rounded(sum(deviations)), rounded(sum(medians))]
    }
    case 'differential':
    case 'coexpression': {
      const genes = value as Differences
      const numbers = genes.map(([, ...rest]) => rest)
      const sums = (numbers[0] ?? []).map((_, i) => sum(numbers.map((own) => own[i] ?? 0)))
      return [genes.length, ...sums.map(rounded)]
    }
    case 'survival': {
      const { curves, chiSquared } = value as Survival
      const facts = curves.flatMap(({ donors, steps }) => [donors, steps.length])
      return [
        ...facts,
        rounded(sum(curves.map((curve) => curve.steps.at(-1)![1]))),
        rounded(chiSquared),
      ]
    }
    case 'top-genes':
    case 'top-cases': {
      const { total, top } = value as Top
      return [total, sum(top.map(([, count]) => count))]
    }
    case 'cases-of-genes':
    case 'mutated-cases': {
      const { total, buckets } = value as Buckets
      return [total, buckets.length, sum(buckets.map((bucket) => Number(bucket[2])))]
    }
    case 'cells': {
      const genes = value as Cells
      const values = genes.flatMap((gene) => gene[2])
      return [values.length, rounded(sum(values))]
    }
  }
}

function tableFacts(table: Buffer): readonly number[] {
  let [lines, columns, total] = [0, 0, 0]
  for (const line of linesOf(table)) {
    const cells = line.split('\t')
    columns = cells.length
    if (lines++ > 0) for (let i = 1; i < cells.length; i++) total += Math.abs(Number(cells[i]))
  }
  return [lines, columns, rounded(total)]
}
