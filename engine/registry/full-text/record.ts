/** Index entry of a record. The texts themselves are not stored. */
export interface IndexedRecord {
  readonly id: string
  /** Texts to search. Words of a text with a higher weight score higher; a text with weight 0 is ignored. */
  readonly texts: readonly { readonly text: string; readonly weight: number }[]
  /** Values keyed by the name of the filter. They are compared exactly. */
  readonly filters: Readonly<Record<string, readonly string[]>>
  /**
   * Values for sorting and for ranges, keyed by the name of the order, such as `last_modified`. Numbers sort
   * before texts. Undefined means that the record has no value.
   */
  readonly orders: Readonly<Record<string, string | number | undefined>>
}

/** Selects the records whose value of an order is in a range. Records without a value do not match. */
export interface OrderRange {
  /** Name of the order: a key of `IndexedRecord.orders`. */
  readonly order: string
  /** Inclusive. */
  readonly from?: string | number | undefined
  /** Exclusive. */
  readonly to?: string | number | undefined
}

export interface RecordQuery {
  /** Words to search for. A blank query matches all records, a query without letters or digits matches none. */
  readonly q?: string | undefined
  /** Whether a record must have all words (AND) or at least one (OR). */
  readonly mode: 'OR' | 'AND'
  /**
   * Values keyed by the name of the filter. For each filter, a record must have at least one of its values. An
   * empty list matches nothing; an undefined filter matches everything.
   */
  readonly filters: Readonly<Record<string, readonly string[] | undefined>>
  readonly ranges?: readonly OrderRange[]
  /**
   * Key of `IndexedRecord.orders`, and direction. By default, a query with words sorts by descending score, any
   * other by ascending id. Texts sort by the code units of their `foldText` form, numbers by value. Records
   * without a value come last in both directions. Equal values sort by ascending id.
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
  /** Highest score among all matches, not only those on this page. Absent without words or matches. */
  readonly maxScore?: number
  readonly hits: readonly RecordHit[]
}

/** A word of the index, with the number of records that contain it (registry.md 2.2, keywords). */
export interface Keyword {
  readonly keyword: string
  readonly count: number
}

export interface KeywordQuery extends Partial<Pick<RecordQuery, 'filters' | 'ranges'>> {
  /** Prefix of the words. If blank or undefined, all words match. */
  readonly q?: string | undefined
  readonly count: number
}

/** Source of changes for a `FollowingIndex`. */
export interface RecordSource {
  /** Returns the current revision. Each change by any process raises it. 0 means that nothing has ever changed. */
  revision(): Promise<number>
  /**
   * Yields the current state of each record that has changed after this revision. For 0, yields all records. A
   * deleted record is yielded as its id alone. Changes made during the read may be included. Reading pauses
   * between records, so that other statements and changes can run.
   */
  changesSince(revision: number): AsyncIterable<RecordChange>
}

export interface RecordChange {
  readonly id: string
  readonly record: IndexedRecord | undefined
}
