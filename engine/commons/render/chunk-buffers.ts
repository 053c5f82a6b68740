import { BufferPool } from '../../shared/concurrency/buffer-pool.ts'

/** Size of a buffer in bytes. Chunks are of about 1 MiB, and few are larger than this. */
const BUFFER_BYTES = 3 << 19
/** Maximum number of buffers. Chunks beyond them get memory of their own. */
const MAX_BUFFERS = 64

/**
 * Creates buffers that threads write the chunks of responses to. With a new buffer per chunk, V8 collects the
 * whole heap of the main thread for every few dozen megabytes, which took as long as writing the chunks.
 */
export const chunkBuffers = () => new BufferPool(BUFFER_BYTES, MAX_BUFFERS)
