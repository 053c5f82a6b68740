import type { Cached } from '../executor.ts'

/** Keeps a value as the one that was asked for last; of too many, the one longest ago goes. */
export function touch<K, T>(cached: Map<K, T>, key: K, value: T, most: number): void {
  cached.delete(key)
  cached.set(key, value)
  for (const oldest of cached.keys()) {
    if (cached.size <= most) break
    cached.delete(oldest)
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
export class LruCache<T> implements Cached {
  readonly bytes: number
  readonly #most: number
  readonly #dispose: (value: T) => void
  readonly #cached = new Map<string, T>()

  constructor(most: number, { bytes = 0, dispose = () => {} }: LruCacheRules<T> = {}) {
    this.bytes = bytes
    this.#most = most
    this.#dispose = dispose
  }

  /** What was made for a key before, or is made now; the key must say all that it is made of. */
  of(key: string, make: () => T): T {
    const value = this.#cached.has(key) ? (this.#cached.get(key) as T) : make()
    this.#cached.delete(key)
    this.#cached.set(key, value)
    const [oldest = key] = this.#cached.keys()
    if (this.#cached.size > this.#most) this.forget(oldest)
    return value
  }

  /** What is kept for a key; asking so does not count. */
  peek(key: string): T | undefined {
    return this.#cached.get(key)
  }

  forget(key: string): void {
    const value = this.#cached.get(key)
    if (this.#cached.delete(key)) this.#dispose(value as T)
  }

  close(): void {
    for (const key of this.#cached.keys()) this.forget(key)
  }
}
