import { deserialize, serialize } from 'node:v8'

/** A serialized value. Its buffer can be transferred to another thread. */
export type Packed = Uint8Array<ArrayBuffer>

/** Serializes any value that structured clone supports. */
export function pack(value: unknown): Packed {
  const bytes = serialize(value)
  // The serializer has allocated this buffer for this call only, so it can be transferred.
  return new Uint8Array(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.byteLength)
}

/** Restores a value that a function of this module has serialized. */
export function unpack<Value>(packed: Uint8Array): Value {
  return deserialize(packed) as Value
}

/** Copies bytes to shared memory. */
export function shared(bytes: Uint8Array): Uint8Array<SharedArrayBuffer> {
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.byteLength))
  copy.set(bytes)
  return copy
}

/** Entries of a Map, Set or array per chunk. One chunk takes a fraction of a millisecond. */
const ENTRIES = 500

interface Part {
  readonly key: string
  readonly kind: 'list' | 'map' | 'set' | 'whole'
  readonly part: unknown
}

/**
 * Serializes the members of an object. Long arrays, Maps and Sets are split into several chunks, so that each
 * step of the generator is short.
 */
export function* packMembers(value: object): Generator<void, readonly Packed[]> {
  const chunks: Packed[] = []
  for (const [key, member] of Object.entries(value)) {
    const kind = kindOf(member)
    if (kind === 'whole') chunks.push(pack({ key, kind, part: member } satisfies Part))
    else {
      for (const part of partsOf(member as Iterable<unknown>)) {
        chunks.push(pack({ key, kind, part } satisfies Part))
        yield
      }
    }
  }
  return chunks
}

function kindOf(member: unknown): Part['kind'] {
  if (Array.isArray(member)) return 'list'
  if (member instanceof Map) return 'map'
  return member instanceof Set ? 'set' : 'whole'
}

/** Yields at least one part, even if it is empty. */
function* partsOf(entries: Iterable<unknown>): Generator<readonly unknown[]> {
  let part: unknown[] = []
  for (const entry of entries) {
    if (part.length === ENTRIES) {
      yield part
      part = []
    }
    part.push(entry)
  }
  yield part
}

/** Restores an object from the chunks of `packMembers`, one chunk per step. */
export function* unpackMembers<Value extends object>(
  chunks: Iterable<Uint8Array>,
): Generator<void, Value> {
  const members: Record<string, unknown> = {}
  for (const chunk of chunks) {
    const { key, kind, part } = unpack<Part>(chunk)
    members[key] = withPart(members[key], kind, part)
    yield
  }
  return members as Value
}

function withPart(before: unknown, kind: Part['kind'], part: unknown): unknown {
  switch (kind) {
    case 'whole':
      return part
    case 'list': {
      const list = (before ?? []) as unknown[]
      for (const one of part as readonly unknown[]) list.push(one)
      return list
    }
    case 'map': {
      const map = (before ?? new Map()) as Map<unknown, unknown>
      for (const [key, value] of part as readonly (readonly [unknown, unknown])[])
        map.set(key, value)
      return map
    }
    case 'set': {
      const set = (before ?? new Set()) as Set<unknown>
      for (const one of part as readonly unknown[]) set.add(one)
      return set
    }
  }
}
