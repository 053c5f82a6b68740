import { EngineError } from '../../../shared/errors.ts'

/** Returns whether an error is caused by the content of the file and not by this machine. */
export function isUnreadable(error: unknown): error is EngineError {
  const codes: readonly string[] = ['bad_input', 'corrupt_source', 'too_large']
  return error instanceof EngineError && codes.includes(error.code)
}
