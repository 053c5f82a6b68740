import { BufferLease, type BufferPool } from './buffer-pool.ts'
import { inOrder } from './in-order.ts'

interface Leased<Chunk> {
  readonly chunk: Chunk
  /** Buffer of the lease that was taken for it. */
  readonly target: Buffer | undefined
}

/**
 * Yields chunks that concurrent calls write into buffers of a pool, in start order. The memory of a chunk is
 * reused when the next one is requested. All buffers are given back once no call is running any more.
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
