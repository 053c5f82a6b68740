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
  /** Number of the record's reference. -1 for none, UNKNOWN_REFERENCE for a name that the cursor was not given. */
  readonly reference: number
  /** Start, 0-based. -1 if the record has no position. */
  readonly start: number
  /** End, 0-based and exclusive. */
  readonly end: number
  /** Number of bytes up to the next record, with the length fields of BAM and BCF, and the line end of a text. */
  readonly length: number
  /** Whether the record is flagged as unmapped. Its position is then the position of its mate. */
  readonly isUnmapped: boolean
  /** Whether the record is flagged as mapped although it has no position. */
  readonly lacksPosition: boolean
  /** Returns why htslib rejects a well-formed record, or undefined if it does not. */
  flawIn(referenceCount: number): string | undefined
  /** Returns the whole record, valid until the cursor moves. */
  bytes(): Uint8Array
}

/** Different from -1, no reference, and -2, the state before the first record (startOfScan). */
export const UNKNOWN_REFERENCE = -3
