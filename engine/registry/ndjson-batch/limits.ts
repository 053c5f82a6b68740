/** Bytes of the longest line that is read, without what ends it (registry.md 7.2). */
export const LONGEST_LINE = 1 << 20

/** Lines of a chunk: some milliseconds of a thread. */
export const MAX_LINES = 256

/**
 * Memory of a chunk and its answers. A request comes by 64 KiB, and answers of staging are four times
 * as long as cases.
 */
export const CHUNK_BYTES = 512 << 10

/** Such memory that is cached for the next chunk, of all batches. */
export const MAX_CACHED_CHUNKS = 16

/** Batches under way at a time, of all kinds; each has a few chunks under way. */
export const MAX_BATCHES = 32
