import { EngineError } from '../../shared/errors.ts'

/**
 * Shared by a build and one of its jobs, which run for seconds: rows done, and the request to stop.
 * Two numbers in shared memory, so that they cross to a thread.
 */
export type BuildControl = Int32Array

const ROWS = 0
const STOP = 1

export function createControl(): BuildControl {
  return new Int32Array(new SharedArrayBuffer(8))
}

export const rowsDone = (control: BuildControl): number => Atomics.load(control, ROWS)

export const stopJob = (control: BuildControl): void => void Atomics.store(control, STOP, 1)

/**
 * Called by a job for each row.
 * @throws EngineError unavailable when the build is to stop
 */
export function reportRows(control: BuildControl | undefined): void {
  if (!control) return
  Atomics.add(control, ROWS, 1)
  if (Atomics.load(control, STOP) === 1) {
    throw new EngineError('unavailable', 'the build was stopped')
  }
}
