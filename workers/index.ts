// Public interface for running the engine's jobs in threads.

export { boundedThread, LazyPool, longThreads, type ThreadOverrides } from './lazy-pool.ts'
export { type HeapLimits, type PoolOptions, ThreadPool } from './pool.ts'
export { startSqliteThread } from './sqlite-thread.ts'
