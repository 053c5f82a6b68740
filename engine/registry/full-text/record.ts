/** What the index knows of a record. The texts themselves are not stored. */
export interface IndexedRecord {
  readonly id: string
  /** What is searched; a word of a text with a higher weight counts for more, one of 0 is left out. */
  readonly texts: readonly { readonly text: string; readonly weight: number }[]
  /** Compared exactly. */
  readonly filters: Readonly<Record<string, readonly string[]>>
  /** For order and ranges: numbers come before texts. Left out or undefined, it has no value. */
  readonly orders: Readonly<Record<string, string | number | undefined>>
}

/** Records whose value by that order is in the range; those without a value are not. */
export interface OrderRange {
  readonly order: string
  /** Inclusive. */
  readonly from?: string | number | undefined
  /** Exclusive. */
  readonly to?: string | number | undefined
}

export interface RecordQuery {
  /** Words; blank is as if left out. A text without a letter or digit finds nothing. */
  readonly q?: string | undefined
  /** Whether a record must have all of the words, or one at least. */
  readonly mode: 'OR' | 'AND'
  /**
   * Records that have any of the values of each name. An empty list of values lets nothing pass,
   * undefined everything.
   */
  readonly filters: Readonly<Record<string, readonly string[] | undefined>>
  readonly ranges?: readonly OrderRange[]
  /**
   * Left out, by score where there are words, else by id. Texts go by the code units of what
   * `foldText` makes of them, numbers by value; records without a value are last in both directions,
   * and ties go by id, ascending in both.
   */
  readonly order?: { readonly name: string; readonly descending: boolean } | undefined
  readonly offset: number
  readonly count: number
}

export interface RecordHit {
  readonly id: string
  /** Above 0; there when the query has words. */
  readonly score?: number
}

export interface RecordHits {
  /** The words of the query, folded, each once. */
  readonly terms: readonly string[]
  /** How many records match, whatever page is asked for. */
  readonly total: number
  /** The highest score of all that match, not of the page alone; left out without words or matches. */
  readonly maxScore?: number
  readonly hits: readonly RecordHit[]
}

/** A word of the index and the number of records that have it (registry.md 2.2, keywords). */
export interface Keyword {
  readonly keyword: string
  readonly count: number
}

export interface KeywordQuery extends Partial<Pick<RecordQuery, 'filters' | 'ranges'>> {
  /** What the words begin with; left out or blank, all. */
  readonly q?: string | undefined
  readonly count: number
}

/** Where a `FollowingIndex` reads what was changed. */
export interface RecordSource {
  /** Goes up with every change, in any process; 0 is before the first. */
  revision(): Promise<number>
  /**
   * What was changed after a revision, as it is now; without a record it is gone. What is changed
   * while this is read may be in it. After 0: all records. Read with pauses, so other statements
   * and edits come in between.
   */
  changesSince(revision: number): AsyncIterable<RecordChange>
}

export interface RecordChange {
  readonly id: string
  readonly record: IndexedRecord | undefined
}
