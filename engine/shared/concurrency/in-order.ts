/**
 * Runs up to `ahead` calls concurrently and yields their results in start order. `start` returns `undefined`
 * if nothing is left. When the consumer stops early, or after an error, all calls settle first, so that none
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
        // The error is thrown when this call is awaited. Until then it must not count as an unhandled
        // rejection.
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
