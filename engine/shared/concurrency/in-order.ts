/**
 * Runs up to `ahead` calls concurrently and yields their results in start order. `start` returns `undefined` if
 * nothing is left to start. If the consumer stops early, or after an error, waits for all calls, so that none
 * uses the caller's files afterwards.
 */
export async function* inOrder<T>(
  start: (signal: AbortSignal) => Promise<T> | undefined,
  { ahead, signal }: { readonly ahead: number; readonly signal?: AbortSignal | undefined },
): AsyncGenerator<T, undefined> {
  const over = new AbortController()
  const either = signal ? AbortSignal.any([signal, over.signal]) : over.signal
  const pending: Promise<T>[] = []
  try {
    for (;;) {
      signal?.throwIfAborted()
      while (pending.length < Math.max(ahead, 1)) {
        const next = start(either)
        if (!next) break
        // The error is thrown when this call is awaited below. Until then, its rejection must not count as unhandled.
        next.catch(() => {})
        pending.push(next)
      }
      const first = pending.shift()
      if (!first) return undefined
      yield await first
    }
  } finally {
    over.abort()
    await Promise.allSettled(pending)
  }
}
