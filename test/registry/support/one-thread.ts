import {
  type Executor,
  type Job,
  type RunOptions,
  Scratch,
} from '../../../engine/shared/executor.ts'

/** Runs one job after another, as one thread does: what a job keeps is there for the next one. */
export function oneThread(): Executor {
  const scratch = new Scratch()
  let last: Promise<unknown> = Promise.resolve()
  return {
    parallelism: 1,
    run<Input, Output>(job: Job<Input, Output>, input: Input, { signal }: RunOptions = {}) {
      const run = last.then(() => {
        signal?.throwIfAborted()
        return job.run(input, scratch)
      })
      last = run.catch(() => {})
      return run
    },
  }
}
