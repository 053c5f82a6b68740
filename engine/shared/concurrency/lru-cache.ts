import type { Kept } from '../executor.ts'

/** Keeps a value as the one that was asked for last; of too many, the one longest ago goes. */
export function keepAsLast<T>(kept: Map<string, T>, key: string, value: T, most: number): void {
  kept.delete(key)
  kept.set(key, value)
  for (const oldest of kept.keys()) {
    if (kept.size <= most) break
    kept.delete(oldest)
  }
}

/**
 * A few large things that one thread made; the one that was not asked for longest goes first. They
 * are bounded by their number: were they counted beside buffers, none could be kept.
 */
export class LruCache<T> implements Kept {
  readonly bytes = 0
  readonly #most: number
  readonly #kept = new Map<string, T>()

  constructor(most: number) {
    this.#most = most
  }

  /** What was made for a key before, or is made now; the key must say all that it is made of. */
  of(key: string, make: () => T): T {
    const value = this.#kept.has(key) ? (this.#kept.get(key) as T) : make()
    keepAsLast(this.#kept, key, value, this.#most)
    return value
  }
}
