/** A half-open range of byte offsets: from `start` up to but not including `end`. */
export interface ByteSpan {
  readonly start: number
  readonly end: number
}
