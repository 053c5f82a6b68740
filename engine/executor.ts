/**
 * Memory that a thread keeps from job to job. What a job makes anew is garbage that V8 lets grow to
 * tens of megabytes per thread before it collects it.
 */
export class Scratch {
  readonly #buffers = new Map<string, Buffer>()

  /** A buffer of that length for one use; what the last job left in it is still there. */
  bytes(use: string, length: number): Buffer {
    let buffer = this.#buffers.get(use)
    if (!buffer || buffer.length < length) {
      buffer = Buffer.allocUnsafeSlow(length)
      this.#buffers.set(use, buffer)
    }
    return buffer.subarray(0, length)
  }
}

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
}

/** Where jobs run. The engine declares this and never knows whether threads are behind it. */
export interface Executor {
  /**
   * Runs one job. Aborting drops it while it is queued; once started it runs to its end (jobs are
   * quanta of a few milliseconds), and only then does the promise settle: memory that the job was
   * given is the caller's again.
   * @throws EngineError `busy` when the queue is full; the job's own error otherwise
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
    return job.run(input, new Scratch())
  },
}
