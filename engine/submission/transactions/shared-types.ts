import { randomUUID } from 'node:crypto'
import { pack, shared, unpack } from '../../shared/arrays/packed.ts'
import { LruCache } from '../../shared/concurrency/lru-cache.ts'
import type { Scratch } from '../../shared/executor.ts'
import type { EntityType } from '../dictionary/entity-type.ts'

export type Types = ReadonlyMap<string, EntityType>

/** The types of a dictionary in shared memory. Each worker thread deserializes them once. */
export interface SharedTypes {
  /** Unique key of these types, for caches. */
  readonly key: string
  readonly packed: readonly Uint8Array<SharedArrayBuffer>[]
}

/** Serializes types for worker threads, one type per step. */
export function* shareTypes(types: Types): Generator<void, SharedTypes> {
  const packed: Uint8Array<SharedArrayBuffer>[] = []
  for (const type of types.values()) {
    // Validation does not need the JSON schema, which is half of a type's size.
    packed.push(shared(pack({ ...type, schema: {} } satisfies EntityType)))
    yield
  }
  return { key: randomUUID(), packed }
}

/** Number of dictionaries cached per thread. Two are in use while one replaces the other. */
const CACHED_DICTIONARIES = 2

/** Deserializes shared types in a worker thread. If they are cached, returns them from the cache. */
export function typesOf({ key, packed }: SharedTypes, scratch: Scratch): Types {
  const cache = scratch.cached('submission types', () => new LruCache<Types>(CACHED_DICTIONARIES))
  return cache.of(key, () => {
    const types = packed.map((one) => unpack<EntityType>(one))
    return new Map(types.map((type) => [type.name, type]))
  })
}
