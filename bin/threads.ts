import { availableParallelism } from 'node:os'
import { type HeapLimits, ThreadPool } from '../workers/pool.ts'

// This module is separate from the engine, because commands for a single file do not need the engine.

/** Starts threads, passes them to `use`, and ends them. Starts one per processor by default. */
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
