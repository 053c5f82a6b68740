import { extname } from 'node:path'
import { Piscina } from 'piscina'
import { MissingBytes } from '../engine/shared/blobs/source.ts'
import { EngineError } from '../engine/shared/errors.ts'
import type { Executor, Job, RunOptions } from '../engine/shared/executor.ts'
import { JobState } from './job-state.ts'
import type { Reply, Request } from './protocol.ts'

/** Number of jobs that a thread has at a time: one runs, and the next starts when it ends. */
const PREFETCH = 2
/** Maximum number of threads that may end before their job begins. Starting more would not help. */
const MAX_UNBEGUN = 3

export interface PoolOptions {
  /** Number of threads. All start with the pool, because the first job would otherwise wait a quarter of a second. */
  readonly threads: number
  /** Maximum number of waiting jobs. If there are more, `run` fails with `busy`. */
  readonly queueLength?: number
  /** Heap limits of each thread. Jobs keep little data on the heap. */
  readonly heap?: HeapLimits
  /**
   * Milliseconds that a job may take. For pools of long jobs that do not queue in threads. After this time, or
   * when the caller aborts, the job is terminated together with its thread, and a new thread starts.
   */
  readonly endAfterMilliseconds?: number
  /** Called when a thread has ended unexpectedly, with the name of its job. */
  readonly onThreadEnd?: (job: string, cause: unknown) => void
}

export interface HeapLimits {
  /** Size of the young generation in megabytes. It is large enough that short-lived objects never leave it. */
  readonly youngMegabytes: number
  readonly oldMegabytes: number
}

const SMALL_HEAP: HeapLimits = { youngMegabytes: 1, oldMegabytes: 512 }

interface Task {
  readonly request: Omit<Request, 'state'>
  readonly transfer: readonly ArrayBuffer[]
  readonly signal: AbortSignal | undefined
}

interface Waiting {
  readonly task: Task
  readonly priority: number
  readonly settle: (reply: Promise<Reply>) => void
}

/**
 * Runs jobs in threads. The pool has its own queue, so that priorities, limits and cancellation are exact. It
 * passes a job to Piscina only when a thread has at most one other job. Without a time limit, a running job is
 * never terminated, because that would end its thread, and never abandoned, because it may write to memory that
 * its caller would reuse.
 *
 * If a thread ends, for example for lack of memory, its running job fails. A job that has not begun is given to
 * another thread.
 */
export class ThreadPool implements Executor {
  readonly parallelism: number
  readonly #queueLength: number
  readonly #endAfter: number | undefined
  readonly #onThreadEnd: PoolOptions['onThreadEnd']
  readonly #piscina: Piscina<Request, Reply>
  readonly #waiting: Waiting[] = []
  /** Maximum number of jobs that all threads together have at a time. */
  readonly #places: number
  /** States of the jobs that have been given to threads. */
  readonly #states = new Set<JobState>()
  #running = 0
  #hasWorked = false
  #isClosed = false

  constructor(options: PoolOptions) {
    const { threads, queueLength = 10_000, heap = SMALL_HEAP, endAfterMilliseconds } = options
    const jobsOfThread = endAfterMilliseconds === undefined ? PREFETCH : 1
    this.parallelism = threads
    this.#queueLength = queueLength
    this.#endAfter = endAfterMilliseconds
    this.#onThreadEnd = options.onThreadEnd
    this.#places = threads * jobsOfThread
    // tsc does not rewrite the extension in a URL, so the thread's file has the same extension as this one.
    const entry = new URL(`./thread${extname(import.meta.filename)}`, import.meta.url)
    this.#piscina = new Piscina<Request, Reply>({
      filename: entry.href,
      minThreads: threads,
      maxThreads: threads,
      concurrentTasksPerWorker: jobsOfThread,
      resourceLimits: {
        maxYoungGenerationSizeMb: heap.youngMegabytes,
        maxOldGenerationSizeMb: heap.oldMegabytes,
      },
    })
    this.#piscina.on('error', (error) => this.#endedIdle(error))
  }

  get queued(): number {
    return this.#waiting.length
  }

  get running(): number {
    return this.#running
  }

  async run<Input, Output>(
    job: Job<Input, Output>,
    input: Input,
    { signal, priority = 0, transfer = [] }: RunOptions = {},
  ): Promise<Output> {
    signal?.throwIfAborted()
    if (this.#isClosed) throw stopping()
    const task = { request: { name: job.name, input }, transfer, signal }
    const isFull = this.#running === this.#places
    const reply = await (isFull ? this.#enqueue(task, priority) : this.#start(task))
    if ('thrown' in reply) throw reply.thrown
    if ('error' in reply) {
      const { code, message, at, retryAfterSeconds, cause } = reply.error
      throw new EngineError(code, message, {
        cause,
        ...(at !== undefined && { at }),
        ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
      })
    }
    if ('missing' in reply) throw new MissingBytes(reply.missing.start, reply.missing.end)
    return reply.output as Output
  }

  #start(task: Task): Promise<Reply> {
    this.#running++
    const reply = this.#give(task)
    const next = () => {
      this.#running--
      const waiting = this.#waiting.shift()
      if (waiting) waiting.settle(this.#start(waiting.task))
    }
    reply.then(next, next)
    return reply
  }

  /** Runs a job in a thread. If the thread ends before the job has begun, runs the job again in another thread. */
  async #give({ request, transfer, signal }: Task): Promise<Reply> {
    const end = this.#endOf(signal)
    for (let ended = 1; ; ended++) {
      const state = new JobState()
      try {
        const reply = await this.#runIn(state, request, transfer, end)
        this.#hasWorked = true
        return reply
      } catch (cause) {
        // A job that fails sends a normal reply, so an exception here means that the thread itself has ended.
        signal?.throwIfAborted()
        if (this.#isClosed) throw stopping()
        if (end?.aborted) throw tookTooLong(this.#endAfter)
        if (state.hasBegun) this.#onThreadEnd?.(request.name, cause)
        // Buffers transferred to a thread are lost with the thread, so the job cannot run again.
        if (state.hasBegun || transfer.length > 0 || ended === MAX_UNBEGUN) throw lost(cause)
      }
    }
  }

  /** Gives a job to a thread. When `end` aborts, terminates both, but never within a critical section. */
  async #runIn(
    state: JobState,
    request: Task['request'],
    transfer: Task['transfer'],
    end: AbortSignal | undefined,
  ): Promise<Reply> {
    const message = { ...request, state: state.memory }
    this.#states.add(state)
    const terminating = new AbortController()
    const terminate = () => state.untilTerminable().then(() => terminating.abort())
    end?.addEventListener('abort', terminate, { once: true })
    try {
      const options = { transferList: [...transfer], ...(end && { signal: terminating.signal }) }
      return await this.#piscina.run(message, options)
    } finally {
      end?.removeEventListener('abort', terminate)
      this.#states.delete(state)
      state.leaveSection()
    }
  }

  /** Returns the signal that ends a job: the signal of the caller, or the time limit. */
  #endOf(signal: AbortSignal | undefined): AbortSignal | undefined {
    if (this.#endAfter === undefined) return undefined
    const late = AbortSignal.timeout(this.#endAfter)
    return signal ? AbortSignal.any([signal, late]) : late
  }

  /**
   * Ignores the end of an idle thread, since a thread can end by itself while it is being terminated. If no
   * thread has ever worked, threads cannot be started here at all, so the error is thrown.
   */
  #endedIdle(error: unknown): void {
    if (!this.#hasWorked) throw error
  }

  #enqueue(task: Task, priority: number): Promise<Reply> {
    const { signal } = task
    if (this.#waiting.length >= this.#queueLength) {
      throw new EngineError('busy', 'too much work is waiting; try again in a moment')
    }
    return new Promise((resolve, reject) => {
      const abort = () => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1)
        reject(signal?.reason)
      }
      const waiting: Waiting = {
        task,
        priority,
        settle: (reply) => {
          signal?.removeEventListener('abort', abort)
          reply.then(resolve, reject)
        },
      }
      signal?.addEventListener('abort', abort, { once: true })
      const behind = this.#waiting.findLastIndex((other) => other.priority <= priority)
      this.#waiting.splice(behind + 1, 0, waiting)
    })
  }

  /** Terminates the threads. Jobs in progress are lost. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const waiting of this.#waiting.splice(0)) waiting.settle(Promise.reject(stopping()))
    await Promise.all([...this.#states].map((state) => state.untilTerminable()))
    await this.#piscina.destroy()
  }
}

const stopping = () => new EngineError('unavailable', 'the service is stopping')

function tookTooLong(milliseconds = 0): EngineError {
  const message = `this takes longer than the ${milliseconds / 1000} seconds that it may; give less at a time`
  return new EngineError('too_large', message)
}

function lost(cause: unknown): EngineError {
  if (cause instanceof Error && 'code' in cause && cause.code === 'ERR_WORKER_OUT_OF_MEMORY') {
    const message = 'this takes more memory than it may; give less, or ask for less, at a time'
    return new EngineError('too_large', message, { cause })
  }
  return new EngineError('unavailable', 'the work on this was broken off; try again', { cause })
}
