/** A part of a record in its stored form. */
export interface StagedPart {
  readonly id: string
  readonly rank: number
  /** Place of the part's text in the spool. It determines the order of parts of the same rank. */
  readonly place: number
  /** Number of bytes of its text, without its ending. */
  readonly length: number
  readonly isDescribed: boolean
  /** `ending` of the PartEntry. */
  readonly ending: number | undefined
  /** Value of the query's extra column. */
  readonly extra: unknown
  /** Reads the text of the part and its ending. The next call, even for another part, may overwrite the memory. */
  bytes(): Buffer
}

/** Members that determine the order of parts. */
type Ordered = Pick<StagedPart, 'id' | 'rank' | 'place'>

/** Returns whether a part comes before another part: by id, then by rank, then in the order of staging. */
export function isBefore(one: Ordered, other: Ordered): boolean {
  if (one.id !== other.id) return one.id < other.id
  return one.rank === other.rank ? one.place < other.place : one.rank < other.rank
}
