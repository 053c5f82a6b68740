import type { Cached } from '../executor.ts'

/** Sets a value as the most recently used one. Evicts the least recently used beyond `most` entries. */
export function touch<K, T>(cached: Map<K, T>, key: K, value: T, most: number): void {
  cached.delete(key)
  cached.set(key, value)
  for (const oldest of cached.keys()) {
    if (cached.size <= most) break
    cached.delete(oldest)
  }
}

interface LruCacheRules<T> {
  /** Total size of the cached values, see `Kept`. */
  readonly bytes?: number
  /** Called for each value that is evicted. */
  readonly dispose?: (value: T) => void
}

/**
 * A cache for a few large values of one thread. The least recently used value is dropped first. The limit is a
 * number of values instead of bytes, because beside the buffers of a thread these values would never fit into a
 * limit in bytes.
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

  /** Returns the cached value of a key, or creates it. The key must include all that the value depends on. */
  of(key: string, make: () => T): T {
    const value = this.#cached.has(key) ? (this.#cached.get(key) as T) : make()
    this.#cached.delete(key)
    this.#cached.set(key, value)
    const [oldest = key] = this.#cached.keys()
    if (this.#cached.size > this.#most) this.forget(oldest)
    return value
  }

  /** Returns the cached value without counting as a use. */
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
