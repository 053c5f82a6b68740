import { placeOf } from './diagnosis.ts'
import type {
  HematopoieticData,
  HistologyGroup,
  HistologyRangePair,
  MorphologyPair,
} from './hematopoietic-data.ts'
import type { SamePrimarySource } from './same-primary.ts'

/** The six tables compiled for lookups by number. */
export interface HematopoieticTables {
  /** For diagnoses until 2000: whether the second histology is the same disease as the first. */
  readonly isSame1998: (first: number, second: number) => boolean
  /** For diagnoses of 2001 to 2009: the group number of a histology. Undefined if it is in no group. */
  readonly groupOf2001: (histology: number) => number | undefined
  readonly isSame2001: (firstGroup: number, secondGroup: number) => boolean
  readonly samePrimary2010: MorphologyPairs
  readonly transformFrom2010: MorphologyPairs
  readonly transformTo2010: MorphologyPairs
}

/** Compiles the tables to functions that compare two tumors. */
export function compileHematopoietic(data: HematopoieticData): HematopoieticTables {
  const keyOf = (first: number, second: number) => first * 10_000 + second
  const same2001 = new Set(data.groupPairs2001.map((pair) => keyOf(...pair)))
  return {
    isSame1998: isSameByRanges(data.rangePairs1998),
    groupOf2001: groupOf(data.groups2001),
    isSame2001: (first, second) => same2001.has(keyOf(first, second)),
    samePrimary2010: new MorphologyPairs(data.samePrimary2010),
    transformFrom2010: new MorphologyPairs(data.transformFrom2010),
    transformTo2010: new MorphologyPairs(data.transformTo2010),
  }
}

function isSameByRanges(pairs: readonly HistologyRangePair[]) {
  const byFirst = new Map<number, { readonly low: number; readonly high: number }[]>()
  for (const { low, high, sameLow, sameHigh } of pairs) {
    const same = { low: Number(sameLow), high: Number(sameHigh) }
    for (let first = Number(low); first <= Number(high); first++) {
      byFirst.set(first, [...(byFirst.get(first) ?? []), same])
    }
  }
  return (first: number, second: number): boolean =>
    byFirst.get(first)?.some(({ low, high }) => low <= second && second <= high) ?? false
}

/** Returns a function that maps a histology to its group number. If several groups contain it, the first counts. */
function groupOf(groups: readonly HistologyGroup[]) {
  const numbers = new Map<number, number>()
  for (const { number, low, high } of groups) {
    for (let histology = Number(low); histology <= Number(high); histology++) {
      if (!numbers.has(histology)) numbers.set(histology, number)
    }
  }
  return (histology: number): number | undefined => numbers.get(histology)
}

/** Greater than the number of morphologies, so that two of them can be combined into one key. */
const SPAN = 0x8000

interface Years {
  readonly start: number
  readonly end: number
}

/** Pairs of morphologies, keyed by index (diagnosis.ts), with the years in which they apply. */
export class MorphologyPairs implements SamePrimarySource<number> {
  /** Years of each pair. The key combines the indexes of both morphologies. */
  readonly #years = new Map<number, readonly Years[]>()

  constructor(pairs: readonly MorphologyPair[]) {
    for (const { morphology, other, validStart, validEnd, start, end } of pairs) {
      const key = placeOfText(morphology) * SPAN + placeOfText(other)
      const years = { start: start ?? validStart ?? 0, end: end ?? validEnd ?? 9999 }
      this.#years.set(key, [...(this.#years.get(key) ?? []), years])
    }
  }

  matches(morphology: number, other: number, year: number): boolean {
    const years = this.#years.get(morphology * SPAN + other)
    return years?.some(({ start, end }) => start <= year && year <= end) ?? false
  }
}

/** Returns the index of a morphology such as `9870/3`. */
export function placeOfText(morphology: string): number {
  const [histology, behavior] = morphology.split('/').map(Number)
  return placeOf(histology ?? 0, behavior ?? 0)
}
