import type { Inflater } from './formats/inflater.ts'
import type { WasmModule } from './web-assembly.ts'

/** Compiled kernels of a thread. A kernel is undefined until it is compiled, and if WebAssembly is disabled. */
export interface Kernels {
  /** Inflates blocks faster than zlib. */
  readonly inflater?: Inflater | undefined
  /** Writes rows from columns (kernels/rows.ts). */
  readonly rows?: WasmModule | undefined
}

/**
 * Memory that a worker thread reuses between jobs. If each job allocated new buffers, V8 would let the garbage
 * of each thread grow to tens of megabytes before collecting it.
 */
export class Scratch {
  readonly #buffers = new Map<string, Buffer>()
  readonly #cached = new Map<string, Cached>()
  /** Kernels of the thread. */
  readonly kernels: Kernels

  constructor(kernels: Kernels = {}) {
    this.kernels = kernels
  }

  /** Returns a buffer of this length for one purpose. It still contains data from earlier jobs. */
  bytes(use: string, length: number): Buffer {
    let buffer = this.#buffers.get(use)
    if (!buffer || buffer.length < length) {
      buffer = Buffer.allocUnsafeSlow(length)
      this.#buffers.set(use, buffer)
    }
    return buffer.subarray(0, length)
  }

  /**
   * Returns a cached value, or creates it. If all values together take too much memory, the least recently used
   * are evicted. The key must include everything on which the value depends.
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

  /** Disposes of all cached values. The scratch can be used again afterwards. */
  close(): void {
    for (const cached of this.#cached.values()) cached.close?.()
    this.#cached.clear()
  }
}

/** A value that reports its size in bytes. */
export interface Cached {
  readonly bytes: number
  /** Called on eviction. For a value that owns more than memory. */
  close?(): void
}

const CACHED_BYTES = 16 << 20

/**
 * A unit of work that may run on another thread: a function of its input. Input and output must survive a
 * structured clone; `transfer` returns buffers of the output to transfer instead of copying.
 */
export interface Job<Input, Output> {
  readonly name: string
  readonly run: (input: Input, scratch: Scratch) => Output | Promise<Output>
  readonly transfer?: (output: Output) => ArrayBuffer[]
}

export interface RunOptions {
  readonly signal?: AbortSignal | undefined
  /** Lower values run first. Jobs of equal priority run in the order of their arrival. */
  readonly priority?: number
  /** Buffers of the input to transfer instead of copying. Afterwards, they are empty for the caller. */
  readonly transfer?: readonly ArrayBuffer[]
}

/** Runs jobs. The engine declares this interface, so that it does not depend on the implementation with threads. */
export interface Executor {
  /**
   * Runs one job. Aborting removes it from the queue. A running job is not interrupted, since it takes only a
   * few milliseconds. The promise settles when the job has ended, so that its memory may be reused. An executor
   * for longer jobs may terminate a job that was aborted or takes too long; such a job must not write to memory
   * of its caller.
   * @throws EngineError `busy` if the queue is full, `too_large` if the job took too much memory or time,
   *   `unavailable` if its thread was lost; otherwise the job's own error
   */
  run<Input, Output>(job: Job<Input, Output>, input: Input, options?: RunOptions): Promise<Output>
  /** Number of jobs that can run at the same time. */
  readonly parallelism: number
}

/** Runs jobs on the calling thread. For tests and short commands. */
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
