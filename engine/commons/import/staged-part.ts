/** A part of a record, as it is stored. */
export interface StagedPart {
  readonly id: string
  readonly rank: number
  /** Place of its text in the spool, which tells the order of parts of one rank. */
  readonly place: number
  /** Number of bytes of its text, without its ending. */
  readonly length: number
  readonly isDescribed: boolean
  /** `ending` of a PartEntry. */
  readonly ending: number | undefined
  /** Value of the query's extra column. */
  readonly extra: unknown
  /** Reads its text and its ending, into memory that the next call for another part may overwrite. */
  bytes(): Buffer
}

/** Members that decide where a part belongs among others. */
type Ordered = Pick<StagedPart, 'id' | 'rank' | 'place'>

/** Returns whether a part comes before another one: by id, by rank, then as they were staged. */
export function isBefore(one: Ordered, other: Ordered): boolean {
  if (one.id !== other.id) return one.id < other.id
  return one.rank === other.rank ? one.place < other.place : one.rank < other.rank
}
