/** Bytes of the longest line that is read, without what ends it (registry.md 7.2). */
export const LONGEST_LINE = 1 << 20

/** Lines of a piece: some milliseconds of a thread. */
export const MAX_LINES = 256

/**
 * Memory of a piece and its answers. Chunks of a request have 64 KiB, and answers of staging are four
 * times as long as cases.
 */
export const PIECE_BYTES = 512 << 10

/** Such memory that is kept for the next piece, of all batches. */
export const KEPT_PIECES = 16

/** Batches under way at a time, of all kinds; each has a few pieces under way. */
export const MAX_BATCHES = 32
