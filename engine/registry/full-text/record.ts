/** Index entry of a record. The texts themselves are not stored. */
export interface IndexedRecord {
  readonly id: string
  /** Texts to search. Words of a text with a higher weight score higher; a text with weight 0 is ignored. */
  readonly texts: readonly { readonly text: string; readonly weight: number }[]
  /** Values are compared exactly. */
  readonly filters: Readonly<Record<string, readonly string[]>>
  /** Values for sorting and ranges. Numbers sort before texts, and undefined means no value. */
  readonly orders: Readonly<Record<string, string | number | undefined>>
}

/** Selects records whose value in this order is in the range. Records without a value do not match. */
export interface OrderRange {
  readonly order: string
  /** Inclusive. */
  readonly from?: string | number | undefined
  /** Exclusive. */
  readonly to?: string | number | undefined
}

export interface RecordQuery {
  /**
   * Words to search for. A blank query matches everything, and a query without letters or digits matches
   * nothing.
   */
  readonly q?: string | undefined
  /** Whether a record must have all words or at least one. */
  readonly mode: 'OR' | 'AND'
  /**
   * A record must have at least one of the values of each filter. An empty list matches nothing, undefined
   * matches everything.
   */
  readonly filters: Readonly<Record<string, readonly string[] | undefined>>
  readonly ranges?: readonly OrderRange[]
  /**
   * Defaults to score for a query with words, otherwise to id. Texts sort by the code units of their
   * `foldText` form, numbers by value. Records without a value come last in both directions, and ties sort by
   * ascending id.
   */
  readonly order?: { readonly name: string; readonly descending: boolean } | undefined
  readonly offset: number
  readonly count: number
}

export interface RecordHit {
  readonly id: string
  /** Greater than 0; present if the query has words. */
  readonly score?: number
}

export interface RecordHits {
  /** The distinct words of the query, folded. */
  readonly terms: readonly string[]
  /** Number of matching records on all pages. */
  readonly total: number
  /** Highest score of all matches, not only of this page. Absent without words or matches. */
  readonly maxScore?: number
  readonly hits: readonly RecordHit[]
}

/** A word of the index and the number of records that have it (registry.md 2.2, keywords). */
export interface Keyword {
  readonly keyword: string
  readonly count: number
}

export interface KeywordQuery extends Partial<Pick<RecordQuery, 'filters' | 'ranges'>> {
  /** Prefix of the words. All words match if it is blank or left out. */
  readonly q?: string | undefined
  readonly count: number
}

/** Source of changes for a `FollowingIndex`. */
export interface RecordSource {
  /**
   * Returns the current revision, which rises with every change in any process; 0 is before the first change.
   */
  revision(): Promise<number>
  /**
   * Yields the current state of everything changed after a revision; a deleted id has no record. Changes made
   * during the read may be included. After revision 0, all records are yielded. Reading pauses, so that other
   * statements and edits can run in between.
   */
  changesSince(revision: number): AsyncIterable<RecordChange>
}

export interface RecordChange {
  readonly id: string
  readonly record: IndexedRecord | undefined
}
