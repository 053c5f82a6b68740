import { EngineError } from './errors.ts'

/** System error codes for no free file descriptor in the process or on the machine. */
const SHORTAGES: readonly unknown[] = Object.freeze(['EMFILE', 'ENFILE'])
/** Errors of Node that mention the shortage only in their message: starting a thread, loading a module. */
const NODE_ERRORS: readonly unknown[] = Object.freeze([
  'ERR_WORKER_INIT_FAILED',
  'ERR_INVALID_PACKAGE_CONFIG',
])
const MAX_CAUSES = 8

/**
 * Returns an EngineError `busy` if an operation failed because there are no free file descriptors, and
 * `undefined` for any other failure. The shortage is temporary and says nothing about the file, so call this
 * before treating a file as damaged or missing.
 */
export function descriptorShortage(thrown: unknown): EngineError | undefined {
  let cause = thrown
  for (let i = 0; i < MAX_CAUSES && cause instanceof Error; i++, cause = cause.cause) {
    if (!isShortage(cause)) continue
    if (thrown instanceof EngineError && thrown.code === 'busy') return thrown
    const message = 'the service has as many files open as it may; try again in a moment'
    return new EngineError('busy', message, { cause: thrown })
  }
  return undefined
}

function isShortage(error: Error & { readonly code?: unknown }): boolean {
  if (SHORTAGES.includes(error.code)) return true
  return NODE_ERRORS.includes(error.code) && /\bE[MN]FILE\b|too many open files/.test(error.message)
}
