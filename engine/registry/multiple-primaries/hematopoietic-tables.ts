import { placeOf } from './diagnosis.ts'
import type {
  HematopoieticData,
  HistologyGroup,
  HistologyRangePair,
  MorphologyPair,
} from './hematopoietic-data.ts'
import type { SamePrimarySource } from './same-primary.ts'

/** The six tables as the rules ask them: by number, without a text. */
export interface HematopoieticTables {
  /** Until 2000: whether a histology is the same disease as an earlier one. */
  readonly isSame1998: (first: number, second: number) => boolean
  /** 2001 to 2009: the number of a histology's group; undefined where it has none. */
  readonly groupOf2001: (histology: number) => number | undefined
  readonly isSame2001: (firstGroup: number, secondGroup: number) => boolean
  readonly samePrimary2010: MorphologyPairs
  readonly transformFrom2010: MorphologyPairs
  readonly transformTo2010: MorphologyPairs
}

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

/** The first group that holds a histology counts. */
function groupOf(groups: readonly HistologyGroup[]) {
  const numbers = new Map<number, number>()
  for (const { number, low, high } of groups) {
    for (let histology = Number(low); histology <= Number(high); histology++) {
      if (!numbers.has(histology)) numbers.set(histology, number)
    }
  }
  return (histology: number): number | undefined => numbers.get(histology)
}

/** More than there are places, so that two make one number. */
const SPAN = 0x8000

interface Years {
  readonly start: number
  readonly end: number
}

/** Pairs of morphologies, by their places (diagnosis.ts), and the years they are listed for. */
export class MorphologyPairs implements SamePrimarySource<number> {
  /** By both places in one number. */
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

/** The place of `9870/3`. */
export function placeOfText(morphology: string): number {
  const [histology, behavior] = morphology.split('/').map(Number)
  return placeOf(histology ?? 0, behavior ?? 0)
}
