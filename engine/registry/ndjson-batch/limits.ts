/** Maximum length of a line in bytes, without its line ending (registry.md 7.2). */
export const LONGEST_LINE = 1 << 20

/** Maximum number of lines per chunk. A chunk takes a thread a few milliseconds. */
export const MAX_LINES = 256

/** Memory for a chunk, which arrives in blocks of 64 KiB, and its answers, four times as long in staging. */
export const CHUNK_BYTES = 512 << 10

/** Number of chunk buffers that are cached for all batches together. */
export const MAX_CACHED_CHUNKS = 16

/** Maximum number of concurrent batches of all kinds. Each batch has a few chunks in progress. */
export const MAX_BATCHES = 32
