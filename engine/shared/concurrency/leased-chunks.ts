import { BufferLease, type BufferPool } from './buffer-pool.ts'
import { inOrder } from './in-order.ts'

interface Leased<Chunk> {
  readonly chunk: Chunk
  /** Buffer that was leased for the chunk. */
  readonly target: Buffer | undefined
}

/**
 * Yields chunks in start order. Concurrent calls write them into buffers of a pool. The memory of a chunk is
 * reused when the next chunk is requested. All buffers are given back once no call is running.
 * @param start see inOrder
 */
export async function* leasedChunks<Chunk>(
  pool: BufferPool,
  start: (signal: AbortSignal, buffers: BufferLease) => Promise<Leased<Chunk>> | undefined,
  options: { readonly ahead: number; readonly signal?: AbortSignal | undefined },
): AsyncGenerator<Chunk, undefined> {
  const buffers = new BufferLease(pool)
  try {
    const next = (signal: AbortSignal) => start(signal, buffers)
    for await (const { chunk, target } of inOrder(next, options)) {
      yield chunk
      buffers.give(target)
    }
  } finally {
    buffers.giveAll()
  }
}
