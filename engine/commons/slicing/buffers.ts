/** Bytes of one copied stretch: large enough that what it costs to hand one on does not count. */
export const STRETCH_BYTES = 1 << 21

/** Output of one seam. Most take a tenth of it; what does not fit travels another way. */
export const SEAM_BYTES = 1 << 17
