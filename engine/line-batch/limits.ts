/** Bytes of the longest line that is read, without what ends it (registry.md 7.2). */
export const LONGEST_LINE = 1 << 20

/** Lines of a piece: some milliseconds of a thread. */
export const MOST_LINES = 256

/** Batches under way at a time, of all kinds; each has a few pieces under way. */
export const MOST_BATCHES = 32
