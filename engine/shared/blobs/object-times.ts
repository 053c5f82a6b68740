/** Time limits for object storage, in milliseconds. */
export interface ObjectTimes {
  /** Limit for establishing a connection. */
  readonly connect: number
  /** Milliseconds without data, before or within a response, after which the request is retried. */
  readonly silence: number
  /** Limit until a response begins, over all attempts. */
  readonly request: number
  /** Limit for requests that upload bytes or assemble an object, which is slow on some servers. */
  readonly write: number
}

export const OBJECT_TIMES: ObjectTimes = Object.freeze({
  connect: 5_000,
  silence: 6_000,
  request: 15_000,
  write: 60_000,
})

/** Minimum average throughput in bytes per millisecond. A very slow server cannot hold a request forever. */
const MIN_BYTES_PER_MILLISECOND = 64

/** Returns the milliseconds that a transfer of this size may take. */
export function millisecondsFor(bytes: number): number {
  return bytes / MIN_BYTES_PER_MILLISECOND
}

/** Runs an operation with a time limit. Its signal aborts with the caller's signal or when the time is over. */
export async function within<Result>(
  milliseconds: number,
  signal: AbortSignal | undefined,
  act: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(timeoutError()), milliseconds)
  try {
    return await act(signal ? AbortSignal.any([signal, late.signal]) : late.signal)
  } finally {
    clearTimeout(timer)
  }
}

/** Creates an error with the same name as the SDK's own timeout errors, so that isTimeout matches both. */
export function timeoutError(): Error {
  const error = new Error('object storage was silent for too long')
  return Object.assign(error, { name: 'TimeoutError' })
}
