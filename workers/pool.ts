import { extname } from 'node:path'
import { Piscina } from 'piscina'
import type { JobName } from '../engine/jobs.ts'
import { MissingBytes } from '../engine/shared/blobs/source.ts'
import { EngineError } from '../engine/shared/errors.ts'
import type { Executor, Job, RunOptions } from '../engine/shared/executor.ts'
import { JobState } from './job-state.ts'
import type { Reply, Request } from './protocol.ts'

/** Jobs given to a thread at a time: one runs, and the next is at hand when it ends. */
const PREFETCH = 2
/** Threads that a job may see end before it has begun; then no thread can be had. */
const MAX_UNBEGUN = 3

export interface PoolOptions {
  /** Threads, all started at once: a first job would otherwise wait a quarter of a second. */
  readonly threads: number
  /** Jobs that may wait; beyond that `run` fails with `busy`. */
  readonly queueLength?: number
  /** Of the heap of each thread; jobs store little there. */
  readonly heap?: HeapLimits
  /**
   * For jobs that may take long, none of which waits in a thread: how long one may run. Beyond that, or
   * when its caller aborts it, the job is ended with its thread, and another thread is started.
   */
  readonly endAfterMilliseconds?: number
  /** Called when a thread has ended by itself, with the name of its job. */
  readonly onThreadEnd?: (job: string, cause: unknown) => void
}

export interface HeapLimits {
  /** What dies young should never leave this part. */
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
 * Runs jobs in threads. Has its own queue so that priority, the bound, and dropping what was
 * aborted are exact; piscina gets a job only when a thread runs its last one. But for pools that say
 * so, a job given away is never killed, since that would end its thread, and never given up, since it
 * may be writing into memory that its caller would then use again.
 *
 * A thread that ends, such as for want of memory, fails the job that it ran. One that had not begun
 * there is given to another thread.
 */
export class ThreadPool implements Executor {
  readonly parallelism: number
  readonly #queueLength: number
  readonly #endAfter: number | undefined
  readonly #onThreadEnd: PoolOptions['onThreadEnd']
  readonly #piscina: Piscina<Request, Reply>
  readonly #waiting: Waiting[] = []
  /** Jobs that threads can be given at a time. */
  readonly #places: number
  /** Of each job that a thread has. */
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
    // tsc does not rewrite the extension in a URL: the thread's file ends like this one.
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
    const task = { request: { name: job.name as JobName, input }, transfer, signal }
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

  /** Has a thread run a job, and another where the first ended before it had begun. */
  async #give({ request, transfer, signal }: Task): Promise<Reply> {
    const end = this.#endOf(signal)
    for (let ended = 1; ; ended++) {
      const state = new JobState()
      try {
        const reply = await this.#runIn(state, request, transfer, end)
        this.#hasWorked = true
        return reply
      } catch (cause) {
        // What a job throws is a reply: here a thread has ended.
        signal?.throwIfAborted()
        if (this.#isClosed) throw stopping()
        if (end?.aborted) throw tookTooLong(this.#endAfter)
        if (state.hasBegun) this.#onThreadEnd?.(request.name, cause)
        // What was moved to a thread is gone with it.
        if (state.hasBegun || transfer.length > 0 || ended === MAX_UNBEGUN) throw lost(cause)
      }
    }
  }

  /** Gives a job to a thread. When `end` aborts, both are terminated, outside critical sections. */
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

  /** What ends a job, where one may be ended: its caller, or the time. */
  #endOf(signal: AbortSignal | undefined): AbortSignal | undefined {
    if (this.#endAfter === undefined) return undefined
    const late = AbortSignal.timeout(this.#endAfter)
    return signal ? AbortSignal.any([signal, late]) : late
  }

  /** One was ended in the moment that it ended itself; or no thread can be started here. */
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

  /** Ends the threads; jobs under way are lost. */
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
