import { BufferPool } from '../../shared/concurrency/buffer-pool.ts'

/** Size of the part of a buffer that a chunk is written to. Chunks are of about 1 MiB, and few are larger. */
const CHUNK_BYTES = 3 << 19
/** Size of the part behind it, in which threads prepare a chunk. */
export const WORK_BYTES = 1 << 18
export const CHUNK_BUFFER_BYTES = CHUNK_BYTES + WORK_BYTES
/** Maximum number of buffers. Chunks beyond them get memory of their own. */
export const MAX_CHUNK_BUFFERS = 64

/**
 * Creates buffers that threads write the chunks of responses to. With a new buffer per chunk, V8 collects the
 * whole heap of the main thread for every few dozen megabytes, which took as long as writing the chunks.
 * @param allocate returns the memory of a buffer, by default memory of its own
 */
export const chunkBuffers = (allocate?: (bytes: number) => Buffer) =>
  new BufferPool(CHUNK_BUFFER_BYTES, { most: MAX_CHUNK_BUFFERS, allocate })
