/**
 * Keeps up to `ahead` calls under way and yields their results in the order in which they were
 * started. `start` gives `undefined` when there is nothing left. Whoever stops early, or after an
 * error, waits until all calls have settled: nothing uses the caller's files afterwards.
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
        // Whoever awaits it later sees the error; until then it must not count as unhandled.
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
