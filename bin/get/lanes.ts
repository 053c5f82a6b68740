/** Limits the number of concurrent tasks. Further tasks wait in order. */
export class Lanes {
  readonly count: number
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(count: number) {
    this.count = count
    this.#free = count
  }

  async use<Result>(task: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free--
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    try {
      return await task()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#free++
    }
  }
}

/**
 * Processes items concurrently. Takes each item from the source when a task is free. After a failure, waits for
 * the running tasks and then throws.
 */
export async function workOn<Item>(
  items: AsyncIterable<Item> | readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const source = 'length' in items ? items.values() : items[Symbol.asyncIterator]()
  let failure: { readonly error: unknown } | undefined
  const worker = async () => {
    try {
      for (;;) {
        const next = failure ? undefined : await source.next()
        if (!next || next.done) return
        await work(next.value)
      }
    } catch (error) {
      failure ??= { error }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  if (failure) throw failure.error
}
