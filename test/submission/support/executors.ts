import { type Executor, inlineExecutor, Scratch } from '../../../engine/shared/executor.ts'

const scratch = new Scratch()

/** Runs jobs on the calling thread, with data copied or moved as to and from a thread. */
export const cloningExecutor: Executor = {
  parallelism: 1,
  async run(job, input, { signal, transfer = [] } = {}) {
    signal?.throwIfAborted()
    const output = await job.run(structuredClone(input, { transfer: [...transfer] }), scratch)
    return structuredClone(output, { transfer: job.transfer?.(output) ?? [] })
  },
}

/** Runs jobs on the calling thread; those of one name wait until the test releases them. */
export class HeldExecutor implements Executor {
  readonly parallelism = 1
  /** The number of requested jobs with the name. */
  count = 0
  readonly #name: string
  readonly #gate = Promise.withResolvers<void>()

  constructor(name: string) {
    this.#name = name
  }

  goOn(): void {
    this.#gate.resolve()
  }

  run: Executor['run'] = async (job, input, options = {}) => {
    if (job.name === this.#name) {
      this.count++
      await Promise.race([this.#gate.promise, aborted(options.signal)])
    }
    return inlineExecutor.run(job, input, options)
  }
}

function aborted(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => signal?.addEventListener('abort', () => resolve()))
}
