import { EngineError } from '../../shared/errors.ts'

/**
 * State shared by a build and one of its jobs, which run for seconds: the number of rows done, and whether to
 * stop. These are two numbers in shared memory, so that they work across threads.
 */
export type BuildControl = Int32Array

const ROWS = 0
const STOP = 1

/** Creates shared memory through which a build reports its progress and can be stopped. */
export function createControl(): BuildControl {
  return new Int32Array(new SharedArrayBuffer(8))
}

export const rowsDone = (control: BuildControl): number => Atomics.load(control, ROWS)

export const stopJob = (control: BuildControl): void => void Atomics.store(control, STOP, 1)

/**
 * Counts a row of a job.
 * @throws EngineError unavailable if the build is to stop
 */
export function reportRows(control: BuildControl | undefined): void {
  if (!control) return
  Atomics.add(control, ROWS, 1)
  if (Atomics.load(control, STOP) === 1) {
    throw new EngineError('unavailable', 'the build was stopped')
  }
}
