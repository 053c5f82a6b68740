/**
 * Pulls up to `depth()` items ahead of the consumer, in order. An item that is pulled but never consumed is
 * passed to `discard`.
 */
export async function* pullAhead<T>(
  source: AsyncGenerator<T>,
  depth: () => number,
  discard: (item: T) => void = () => {},
): AsyncGenerator<T, undefined> {
  const pending: Promise<IteratorResult<T>>[] = []
  const pull = () => {
    const next = source.next()
    // Prevents an unhandled rejection until the promise is awaited.
    next.catch(() => {})
    pending.push(next)
  }
  try {
    for (;;) {
      while (pending.length < Math.max(depth(), 1)) pull()
      const result = await pending.shift()
      if (!result || result.done) return undefined
      yield result.value
    }
  } finally {
    const rest = await Promise.allSettled(pending)
    for (const result of rest) {
      if (result.status === 'fulfilled' && !result.value.done) discard(result.value.value)
    }
    await source.return(undefined)
  }
}

/** Maps items in order, with up to `depth()` concurrent calls. */
export async function* mapAhead<In, Out>(
  items: Iterable<In> | AsyncIterable<In>,
  depth: () => number,
  map: (item: In) => Promise<Out>,
): AsyncGenerator<Out> {
  async function* started() {
    for await (const item of items) {
      const result = map(item)
      result.catch(() => {})
      yield { result }
    }
  }
  for await (const { result } of pullAhead(started(), depth)) yield await result
}
