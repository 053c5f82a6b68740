import { BufferPool } from '../../shared/concurrency/buffer-pool.ts'

/** Bytes of the part of a buffer to which a chunk is written. Chunks have about 1 MiB, and few are larger. */
const CHUNK_BYTES = 3 << 19
/** Bytes of the part after it, in which threads prepare a chunk. */
export const WORK_BYTES = 1 << 18
export const CHUNK_BUFFER_BYTES = CHUNK_BYTES + WORK_BYTES
/** Maximum number of buffers. If more chunks are in use, each further one gets memory of its own. */
export const MAX_CHUNK_BUFFERS = 64

/**
 * Creates buffers to which threads write the chunks of responses. With a new buffer for each chunk, V8 would
 * collect the whole heap of the main thread every few dozen megabytes, which took as long as writing the chunks.
 * @param allocate returns the memory of a buffer, by default memory of its own
 */
export const chunkBuffers = (allocate?: (bytes: number) => Buffer) =>
  new BufferPool(CHUNK_BUFFER_BYTES, { most: MAX_CHUNK_BUFFERS, allocate })
