import {
  type Executor,
  type Job,
  type RunOptions,
  Scratch,
} from '../../../engine/shared/executor.ts'

/** Runs one job after another like a single thread, so that data kept by a job are available to the next. */
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
