/** For diagnoses until 2000: a first tumor in one range and a second tumor in the other are the same disease. */
export interface HistologyRangePair {
  /** Inclusive range of the first tumor's histology. */
  readonly low: string
  readonly high: string
  /** Inclusive range of the second tumor's histology. */
  readonly sameLow: string
  readonly sameHigh: string
  /** Name of the group in the published table. */
  readonly group: string
}

/** Diagnoses from 2001 to 2009: a numbered group of histologies. */
export interface HistologyGroup {
  readonly number: number
  readonly low: string
  readonly high: string
  readonly name: string
}

/** Group numbers of the first and the second tumor. */
export type GroupPair = readonly [first: number, second: number]

/**
 * Diagnoses from 2010 on: `other` is the same disease as `morphology`, or one transforms into the other. `start`
 * and `end` are the first and last year in which this applies; by default those in which the morphology itself
 * is valid.
 */
export interface MorphologyPair {
  /** Morphology such as `9699/3`. */
  readonly morphology: string
  readonly validStart?: number
  readonly validEnd?: number
  readonly start?: number
  readonly end?: number
  readonly other: string
}

/** The six tables that compare hematopoietic tumors (multiple-primaries.md 5). */
export interface HematopoieticData {
  readonly rangePairs1998: readonly HistologyRangePair[]
  readonly groups2001: readonly HistologyGroup[]
  readonly groupPairs2001: readonly GroupPair[]
  readonly samePrimary2010: readonly MorphologyPair[]
  readonly transformFrom2010: readonly MorphologyPair[]
  readonly transformTo2010: readonly MorphologyPair[]
}

export type HematopoieticTable = keyof HematopoieticData
