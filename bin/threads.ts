import { availableParallelism } from 'node:os'
import { type HeapLimits, ThreadPool } from '../workers/pool.ts'

// Apart from the engine, which commands that work on one file do without.

/** Starts threads for the time of `use`; by default as many as there are processors. */
export async function withThreads<Result>(
  use: (pool: ThreadPool) => Promise<Result>,
  threads = availableParallelism(),
  heap?: HeapLimits,
): Promise<Result> {
  const pool = new ThreadPool({ threads, ...(heap && { heap }) })
  try {
    return await use(pool)
  } finally {
    await pool.close()
  }
}
