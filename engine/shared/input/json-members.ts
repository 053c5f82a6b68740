import { EngineError } from '../errors.ts'

// Validates JSON of unknown shape and converts it to frozen objects of a known shape. Unknown members are
// dropped. Null counts as missing (registry.md 1.4).

/**
 * Returns the value as T.
 * @throws EngineError `bad_input` that names the member
 */
export type Reader<T> = (value: unknown, at: string) => T

type OptionalName<T> = { [K in keyof T]-?: object extends Pick<T, K> ? K : never }[keyof T]

/** Readers of the required members. */
type RequiredReaders<T> = {
  readonly [K in Exclude<keyof T, OptionalName<T>>]: Reader<T[K]>
}

/** Readers of the optional members. */
export type OptionalReaders<T> = {
  readonly [K in OptionalName<T>]-?: Reader<NonNullable<T[K]>>
}

function refuse(at: string, wanted: string): never {
  const place = at === '' ? 'the document' : `"${at}"`
  throw new EngineError('bad_input', `${place} is ${wanted}`, { at })
}

export const readText: Reader<string> = (value, at) =>
  typeof value === 'string' ? value : refuse(at, 'no text; give a JSON string')

export const readNumber: Reader<number> = (value, at) =>
  Number.isSafeInteger(value) ? (value as number) : refuse(at, 'no whole number')

export const readFlag: Reader<boolean> = (value, at) =>
  typeof value === 'boolean' ? value : refuse(at, 'neither true nor false')

/** Returns a reader for one of some words. */
export function readOneOf<T extends string>(words: readonly T[]): Reader<T> {
  return (value, at) =>
    words.find((word) => word === value) ?? refuse(at, `none of ${words.join(', ')}`)
}

/** Returns a reader for a list. */
export function readList<T>(read: Reader<T>): Reader<readonly T[]> {
  return (value, at) => {
    if (!Array.isArray(value)) return refuse(at, 'no list; give a JSON array')
    return Object.freeze(value.map((element, i) => read(element, `${at}[${i}]`)))
  }
}

/** Creates a reader for an object from readers of its members. */
export function readMembers<T extends object>(
  required: RequiredReaders<T>,
  optional: OptionalReaders<T>,
): Reader<Readonly<T>> {
  const readers: readonly (readonly [string, Reader<unknown>, boolean])[] = [
    ...Object.entries<Reader<unknown>>(required).map(([name, read]) => [name, read, true] as const),
    ...Object.entries<Reader<unknown>>(optional).map(
      ([name, read]) => [name, read, false] as const,
    ),
  ]
  return (value, at) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return refuse(at, 'no object; give a JSON object')
    }
    const read: Record<string, unknown> = {}
    for (const [name, readMember, isRequired] of readers) {
      const member: unknown = Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined
      const place = at === '' ? name : `${at}.${name}`
      if (member !== undefined && member !== null) read[name] = readMember(member, place)
      else if (isRequired) refuse(place, 'missing')
    }
    return Object.freeze(read) as Readonly<T>
  }
}
