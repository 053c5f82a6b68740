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

export interface LruCacheRules<T> {
  /** What all of them take that are kept; see `Kept`. */
  readonly bytes?: number
  /** Called for each that is not kept any more. */
  readonly dispose?: (value: T) => void
}

/**
 * A few large things that one thread made; the one that was not asked for longest goes first. They
 * are bounded by their number: were they counted beside buffers, none could be kept.
 */
export class LruCache<T> implements Kept {
  readonly bytes: number
  readonly #most: number
  readonly #dispose: (value: T) => void
  readonly #kept = new Map<string, T>()

  constructor(most: number, { bytes = 0, dispose = () => {} }: LruCacheRules<T> = {}) {
    this.bytes = bytes
    this.#most = most
    this.#dispose = dispose
  }

  /** What was made for a key before, or is made now; the key must say all that it is made of. */
  of(key: string, make: () => T): T {
    const value = this.#kept.has(key) ? (this.#kept.get(key) as T) : make()
    this.#kept.delete(key)
    this.#kept.set(key, value)
    const [oldest = key] = this.#kept.keys()
    if (this.#kept.size > this.#most) this.forget(oldest)
    return value
  }

  /** What is kept for a key; asking so does not count. */
  peek(key: string): T | undefined {
    return this.#kept.get(key)
  }

  forget(key: string): void {
    const value = this.#kept.get(key)
    if (this.#kept.delete(key)) this.#dispose(value as T)
  }

  close(): void {
    for (const key of this.#kept.keys()) this.forget(key)
  }
}
