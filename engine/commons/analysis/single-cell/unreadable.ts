import { EngineError } from '../../../shared/errors.ts'

/** Whether it is the file, and not this machine, that is to blame. */
export function isUnreadable(error: unknown): error is EngineError {
  const codes: readonly string[] = ['bad_input', 'corrupt_source', 'too_large']
  return error instanceof EngineError && codes.includes(error.code)
}
