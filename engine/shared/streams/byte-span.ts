/** A byte range, 0-based and half-open. */
export interface ByteSpan {
  readonly start: number
  readonly end: number
}
