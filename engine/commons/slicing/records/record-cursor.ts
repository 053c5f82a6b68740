/**
 * Walks over the records of a file from a virtual offset on. A record may lie across any number of
 * blocks.
 */
export interface RecordCursor {
  /**
   * Moves to the next record; false at the end of the file.
   * @throws EngineError corrupt_source for what is no record
   */
  advance(): boolean
  /** File offset of the block in which the record starts. */
  readonly block: number
  /** Offset of the record in the inflated bytes of that block. */
  readonly inner: number
  /** Number of its reference; -1 for none, UNKNOWN_REFERENCE for one that the cursor was not told of. */
  readonly reference: number
  /** 0-based, -1 for none. */
  readonly start: number
  /** 0-based, exclusive. */
  readonly end: number
  /** Bytes of the record, whatever separates it from the next one included. */
  readonly length: number
  /** Whether it is stated to be of no place; where it stands is that of its mate then. */
  readonly isUnmapped: boolean
  /** Whether it is stated to have a place and has none. */
  readonly lacksPosition: boolean
  /** What is wrong with what the record says, though its form is right: htslib does not read it. */
  flawIn(referenceCount: number): string | undefined
  /** The whole record; valid until the cursor moves. */
  bytes(): Uint8Array
}

export const UNKNOWN_REFERENCE = -3
