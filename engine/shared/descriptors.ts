import { EngineError } from './errors.ts'

/** All descriptors of this process, or of the machine, are in use. */
const SHORTAGES: readonly unknown[] = Object.freeze(['EMFILE', 'ENFILE'])
/** Node's own errors that have it in their text alone: of a thread, and of a module loaded on first use. */
const NODE_ERRORS: readonly unknown[] = Object.freeze([
  'ERR_WORKER_INIT_FAILED',
  'ERR_INVALID_PACKAGE_CONFIG',
])
const MAX_CAUSES = 8

/**
 * `busy`, when something failed because no file descriptor was free; `undefined` for every other failure.
 * A shortage passes by itself, and says nothing about what was to be opened: whoever judges a failure,
 * as damage, or as a file that is not there, asks here first.
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
