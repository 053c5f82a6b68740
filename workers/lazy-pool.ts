import type { Executor, Job, RunOptions } from '../engine/shared/executor.ts'
import { type PoolOptions, ThreadPool } from './pool.ts'

/** Pool that starts its threads with the first job. It is for work that many installations never have. */
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

  /** Terminates the threads. Jobs in progress are lost. */
  async close(): Promise<void> {
    await this.#pool?.close()
  }
}

export type ThreadOverrides = Pick<PoolOptions, 'onThreadEnd' | 'endAfterMilliseconds'>

/**
 * Creates a pool for long jobs, so that short jobs need not wait for them. Its threads have a larger young
 * generation, because each job creates hundreds of megabytes of garbage. If this garbage were promoted, jobs
 * would take a third longer.
 */
export function longThreads(threads: number, overrides: ThreadOverrides = {}): LazyPool {
  return new LazyPool({
    threads: Math.max(1, Math.floor(threads / 2)),
    heap: { youngMegabytes: 32, oldMegabytes: 2048 },
    // The job with the largest possible body takes some seconds, or a minute on a busy machine.
    endAfterMilliseconds: 300_000,
    ...overrides,
  })
}

/**
 * Creates a single thread for jobs that some inputs make slow. Memory and time per job are limited, and no other
 * jobs wait behind these.
 */
export function boundedThread(overrides: ThreadOverrides = {}): LazyPool {
  return new LazyPool({
    threads: 1,
    queueLength: 64,
    heap: { youngMegabytes: 16, oldMegabytes: 256 },
    // The most expensive input takes two seconds of processor time.
    endAfterMilliseconds: 30_000,
    ...overrides,
  })
}
