import type { Executor, Job, RunOptions } from '../engine/shared/executor.ts'
import { type PoolOptions, ThreadPool } from './pool.ts'

/** Threads that are started when the first job comes: for work that many services never have. */
export class LazyPool implements Executor {
  readonly parallelism: number
  readonly #options: PoolOptions
  #pool: ThreadPool | undefined

  constructor(options: PoolOptions) {
    this.parallelism = options.threads
    this.#options = options
  }

  get queued(): number {
    return this.#pool?.queued ?? 0
  }

  get running(): number {
    return this.#pool?.running ?? 0
  }

  run<Input, Output>(job: Job<Input, Output>, input: Input, options?: RunOptions): Promise<Output> {
    this.#pool ??= new ThreadPool(this.#options)
    return this.#pool.run(job, input, options)
  }

  /** Ends the threads; jobs under way are lost. */
  async close(): Promise<void> {
    await this.#pool?.close()
  }
}

export type ThreadOverrides = Pick<PoolOptions, 'onThreadEnd' | 'endAfterMilliseconds'>

/**
 * Threads for jobs that take longer than milliseconds, which others would have to wait behind. They
 * make hundreds of megabytes of garbage; in a small young part much of it would outlive that, and
 * cost a third more time.
 */
export function longThreads(threads: number, overrides: ThreadOverrides = {}): LazyPool {
  return new LazyPool({
    threads: Math.max(1, Math.floor(threads / 2)),
    heap: { youngMegabytes: 32, oldMegabytes: 2048 },
    // The largest body takes some seconds, on a busy machine a minute.
    endAfterMilliseconds: 300_000,
    ...overrides,
  })
}

/**
 * A thread for what can be made to take long by who sends it: memory and time of a job are bounded,
 * and nothing else waits behind it.
 */
export function boundedThread(overrides: ThreadOverrides = {}): LazyPool {
  return new LazyPool({
    threads: 1,
    queueLength: 64,
    heap: { youngMegabytes: 16, oldMegabytes: 256 },
    // The costliest input takes two seconds of a processor.
    endAfterMilliseconds: 30_000,
    ...overrides,
  })
}
