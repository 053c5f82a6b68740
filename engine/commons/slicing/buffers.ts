/** Bytes of one copied extent: large enough that what it costs to hand one on does not count. */
export const EXTENT_BYTES = 1 << 21

/** Output of one edge. Most take a tenth of it; what does not fit travels another way. */
export const EDGE_BYTES = 1 << 17
