/** Iterates over the records of a file from a virtual offset on. A record may span any number of blocks. */
export interface RecordCursor {
  /**
   * Moves to the next record. Returns false at the end of the file.
   * @throws EngineError corrupt_source for bytes that are not a record
   */
  advance(): boolean
  /** File offset of the block in which the record starts. */
  readonly block: number
  /** Offset of the record in the inflated bytes of the block. */
  readonly inner: number
  /** Number of the record's reference. -1 for none, UNKNOWN_REFERENCE for one not given to the cursor. */
  readonly reference: number
  /** Start, 0-based. -1 if the record has no position. */
  readonly start: number
  /** End, 0-based and exclusive. */
  readonly end: number
  /** Bytes of the record, including its separator. */
  readonly length: number
  /** Whether the record is flagged as unmapped. Its position is then the position of its mate. */
  readonly isUnmapped: boolean
  /** Whether the record is flagged as mapped although it has no position. */
  readonly lacksPosition: boolean
  /** Returns a semantic flaw of a well-formed record that htslib rejects. */
  flawIn(referenceCount: number): string | undefined
  /** Returns the whole record, valid until the cursor moves. */
  bytes(): Uint8Array
}

export const UNKNOWN_REFERENCE = -3
