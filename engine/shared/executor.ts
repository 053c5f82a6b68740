/**
 * Memory that a thread keeps from job to job. What a job makes anew is garbage that V8 lets grow to
 * tens of megabytes per thread before it collects it.
 */
export class Scratch {
  readonly #buffers = new Map<string, Buffer>()
  readonly #cached = new Map<string, Cached>()

  /** A buffer of that length for one use; what the last job left in it is still there. */
  bytes(use: string, length: number): Buffer {
    let buffer = this.#buffers.get(use)
    if (!buffer || buffer.length < length) {
      buffer = Buffer.allocUnsafeSlow(length)
      this.#buffers.set(use, buffer)
    }
    return buffer.subarray(0, length)
  }

  /**
   * What was made for a key before, or is made now; what was not asked for the longest is forgotten
   * when all of it takes too much. A key must say all that the value is made of.
   */
  cached<T extends Cached>(key: string, make: () => T): T {
    const known = this.#cached.get(key) as T | undefined
    const value = known ?? make()
    this.#cached.delete(key)
    this.#cached.set(key, value)
    if (!known) this.#forget()
    return value
  }

  #forget(): void {
    let bytes = 0
    for (const cached of this.#cached.values()) bytes += cached.bytes
    for (const [key, cached] of this.#cached) {
      if (bytes <= CACHED_BYTES) return
      bytes -= cached.bytes
      this.#cached.delete(key)
      cached.close?.()
    }
  }

  /** Gives back all that was kept; the memory may be used again afterwards. */
  close(): void {
    for (const cached of this.#cached.values()) cached.close?.()
    this.#cached.clear()
  }
}

/** Something that is worth keeping, and what it takes. */
export interface Cached {
  readonly bytes: number
  /** For what holds more than memory: called when it is forgotten. */
  close?(): void
}

const CACHED_BYTES = 16 << 20

/**
 * A unit of work that may run in another thread: a plain function of its input.
 * Input and output must survive a structured clone; `transfer` names the buffers of the output that
 * move instead of being copied.
 */
export interface Job<Input, Output> {
  readonly name: string
  readonly run: (input: Input, scratch: Scratch) => Output | Promise<Output>
  readonly transfer?: (output: Output) => ArrayBuffer[]
}

export interface RunOptions {
  readonly signal?: AbortSignal | undefined
  /** Lower runs first. Jobs of equal priority run in the order they came. */
  readonly priority?: number
  /** Buffers of the input that move to the job instead of being copied; the caller's are empty then. */
  readonly transfer?: readonly ArrayBuffer[]
}

/** Where jobs run. The engine declares this and never knows whether threads are behind it. */
export interface Executor {
  /**
   * Runs one job. Aborting drops it while it is queued; once started it runs to its end (jobs are
   * quanta of a few milliseconds), and only then does the promise settle: memory that the job was
   * given is the caller's again. Executors for longer jobs may end one that was aborted or takes too
   * long; such a job writes into no memory of its caller.
   * @throws EngineError `busy` when the queue is full; `too_large` for a job that took too much memory
   *   or time; `unavailable` where its thread was lost; the job's own error otherwise
   */
  run<Input, Output>(job: Job<Input, Output>, input: Input, options?: RunOptions): Promise<Output>
  /** How many jobs can run at the same time. */
  readonly parallelism: number
}

/** Runs every job at once on the calling thread. For tests and short commands. */
export const inlineExecutor: Executor = {
  parallelism: 1,
  async run(job, input, { signal } = {}) {
    signal?.throwIfAborted()
    const scratch = new Scratch()
    try {
      return await job.run(input, scratch)
    } finally {
      scratch.close()
    }
  },
}
