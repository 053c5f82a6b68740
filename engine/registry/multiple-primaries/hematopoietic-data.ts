/** Diagnoses until 2000: a first tumour of one range and a second of another are the same. */
export interface HistologyRangePair {
  readonly low: string
  readonly high: string
  readonly sameLow: string
  readonly sameHigh: string
  readonly group: string
}

/** Diagnoses from 2001 to 2009: a numbered group of histologies. */
export interface HistologyGroup {
  readonly number: number
  readonly low: string
  readonly high: string
  readonly name: string
}

/** Numbers of the groups of the tumour that came first and of the one that came second. */
export type GroupPair = readonly [first: number, second: number]

/**
 * Diagnoses from 2010 on: `other` is the same disease as `morphology`, or one turns into the other.
 * `start` and `end` are the first and the last year in which that holds; where one is left out,
 * the year in which the morphology itself became or ceased to be valid stands for it.
 */
export interface MorphologyPair {
  /** `9699/3` */
  readonly morphology: string
  readonly validStart?: number
  readonly validEnd?: number
  readonly start?: number
  readonly end?: number
  readonly other: string
}

/** The six tables by which tumours of blood and lymph are compared (multiple-primaries.md 5). */
export interface HematopoieticData {
  readonly rangePairs1998: readonly HistologyRangePair[]
  readonly groups2001: readonly HistologyGroup[]
  readonly groupPairs2001: readonly GroupPair[]
  readonly samePrimary2010: readonly MorphologyPair[]
  readonly transformFrom2010: readonly MorphologyPair[]
  readonly transformTo2010: readonly MorphologyPair[]
}

export type HematopoieticTable = keyof HematopoieticData
