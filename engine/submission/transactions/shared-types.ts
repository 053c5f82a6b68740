import { randomUUID } from 'node:crypto'
import { pack, unpack } from '../../shared/arrays/packed.ts'
import { LruCache } from '../../shared/concurrency/lru-cache.ts'
import type { Scratch } from '../../shared/executor.ts'
import type { EntityType } from '../dictionary/entity-type.ts'

export type Types = ReadonlyMap<string, EntityType>

/** The types of a dictionary in memory that all threads see; each unpacks them once. */
export interface SharedTypes {
  /** Of these types and no others. */
  readonly key: string
  readonly packed: readonly Uint8Array<SharedArrayBuffer>[]
}

/** Shares types with threads. Steps are short. */
export function* shareTypes(types: Types): Generator<void, SharedTypes> {
  const packed: Uint8Array<SharedArrayBuffer>[] = []
  for (const type of types.values()) {
    // Documents are not judged by the schema as it is served, which is half of a type.
    packed.push(shared(pack({ ...type, schema: {} } satisfies EntityType)))
    yield
  }
  return { key: randomUUID(), packed }
}

/** Bytes that several threads may read without a copy. */
export function shared(bytes: Uint8Array): Uint8Array<SharedArrayBuffer> {
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.byteLength))
  copy.set(bytes)
  return copy
}

/** Another one is in use for as long as it takes to replace one by tests. */
const CACHED_DICTIONARIES = 2

/** What was shared, in a thread. */
export function typesOf({ key, packed }: SharedTypes, scratch: Scratch): Types {
  const cache = scratch.cached('submission types', () => new LruCache<Types>(CACHED_DICTIONARIES))
  return cache.of(key, () => {
    const types = packed.map((one) => unpack<EntityType>(one))
    return new Map(types.map((type) => [type.name, type]))
  })
}
