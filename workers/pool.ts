import { extname } from 'node:path'
import { Piscina } from 'piscina'
import { MissingBytes } from '../engine/blobs/source.ts'
import { EngineError } from '../engine/errors.ts'
import type { Executor, Job, RunOptions } from '../engine/executor.ts'
import type { JobName } from '../engine/jobs.ts'
import type { Reply, Request } from './protocol.ts'

/** Jobs given to a thread at a time: one runs, and the next is at hand when it ends. */
const PREFETCH = 2

export interface PoolOptions {
  /** Threads, all started at once: a first job would otherwise wait a quarter of a second. */
  readonly threads: number
  /** Jobs that may wait; beyond that `run` fails with `busy`. */
  readonly queueLength?: number
  /** Of the heap of each thread; jobs keep little there. */
  readonly heap?: HeapLimits
}

export interface HeapLimits {
  /** What dies young should never leave this part. */
  readonly youngMegabytes: number
  readonly oldMegabytes: number
}

const SMALL_HEAP: HeapLimits = { youngMegabytes: 1, oldMegabytes: 512 }

interface Waiting {
  readonly request: Request
  readonly transfer: readonly ArrayBuffer[]
  readonly priority: number
  readonly settle: (reply: Promise<Reply>) => void
}

/**
 * Runs jobs in threads. Keeps its own queue so that priority, the bound, and dropping what was
 * aborted are exact; piscina gets a job only when a thread runs its last one. A job given away is
 * never killed, since that would end its thread, and never given up, since it may be writing into
 * memory that its caller would then use again.
 */
export class ThreadPool implements Executor {
  readonly parallelism: number
  readonly #queueLength: number
  readonly #piscina: Piscina<Request, Reply>
  readonly #waiting: Waiting[] = []
  #running = 0

  constructor({ threads, queueLength = 10_000, heap = SMALL_HEAP }: PoolOptions) {
    this.parallelism = threads
    this.#queueLength = queueLength
    // tsc does not rewrite the extension in a URL: the thread's file ends like this one.
    const entry = new URL(`./thread${extname(import.meta.filename)}`, import.meta.url)
    this.#piscina = new Piscina<Request, Reply>({
      filename: entry.href,
      minThreads: threads,
      maxThreads: threads,
      concurrentTasksPerWorker: PREFETCH,
      resourceLimits: {
        maxYoungGenerationSizeMb: heap.youngMegabytes,
        maxOldGenerationSizeMb: heap.oldMegabytes,
      },
    })
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
    const request = { name: job.name as JobName, input }
    const free = this.#running < this.parallelism * PREFETCH
    const reply = await (free
      ? this.#start(request, transfer)
      : this.#enqueue(request, { priority, transfer, signal }))
    if ('error' in reply) {
      const { code, message, at, cause } = reply.error
      throw new EngineError(code, message, { cause, ...(at === undefined ? {} : { at }) })
    }
    if ('missing' in reply) throw new MissingBytes(reply.missing.start, reply.missing.end)
    return reply.output as Output
  }

  #start(request: Request, transfer: readonly ArrayBuffer[]): Promise<Reply> {
    this.#running++
    const reply = this.#piscina.run(request, { transferList: [...transfer] })
    const next = () => {
      this.#running--
      const waiting = this.#waiting.shift()
      if (waiting) waiting.settle(this.#start(waiting.request, waiting.transfer))
    }
    reply.then(next, next)
    return reply
  }

  #enqueue(
    request: Request,
    { priority, transfer, signal }: RunOptions & Pick<Waiting, 'priority' | 'transfer'>,
  ): Promise<Reply> {
    if (this.#waiting.length >= this.#queueLength) {
      throw new EngineError('busy', 'too much work is waiting; try again in a moment')
    }
    return new Promise((resolve, reject) => {
      const abort = () => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1)
        reject(signal?.reason)
      }
      const waiting: Waiting = {
        request,
        transfer,
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
    for (const waiting of this.#waiting.splice(0)) {
      waiting.settle(Promise.reject(new EngineError('unavailable', 'the service is stopping')))
    }
    await this.#piscina.destroy()
  }
}
