/** How long object storage may take, in milliseconds. */
export interface ObjectTimes {
  /** Until a connection is there. */
  readonly connect: number
  /** Until an answer begins, or goes on; the request then counts as lost and is made again. */
  readonly silence: number
  /** Until an answer begins, with all tries. */
  readonly request: number
  /** The same for a request that brings bytes or has them put together, which takes servers long. */
  readonly write: number
}

export const OBJECT_TIMES: ObjectTimes = Object.freeze({
  connect: 5_000,
  silence: 6_000,
  request: 15_000,
  write: 60_000,
})

/** Bytes of a body come or go at least as fast on the whole: a drip holds nobody up for ever. */
const MIN_BYTES_PER_MILLISECOND = 64

/** Milliseconds that so many bytes may take. */
export function millisecondsFor(bytes: number): number {
  return bytes / MIN_BYTES_PER_MILLISECOND
}

/** Does something that has a signal to end it: the caller's, or that its time is over. */
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

/** By the name that the SDK gives to its own. */
export function timeoutError(): Error {
  const error = new Error('object storage was silent for too long')
  return Object.assign(error, { name: 'TimeoutError' })
}
