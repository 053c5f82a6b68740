/**
 * Pulls up to `depth()` items ahead of the consumer, in order. An item that is pulled but never
 * reaches the consumer is given to `discard`.
 */
export async function* pullAhead<T>(
  source: AsyncGenerator<T>,
  depth: () => number,
  discard: (item: T) => void = () => {},
): AsyncGenerator<T, undefined> {
  const pending: Promise<IteratorResult<T>>[] = []
  const pull = () => {
    const next = source.next()
    // Whoever awaits it later sees the error; until then it must not count as unhandled.
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

/** Maps with up to `depth()` calls under way, in order. */
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
