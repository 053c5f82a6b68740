import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'

/** JSON values; an answer is brought into one form before it is compared. */
export type Value = null | boolean | number | string | readonly Value[] | { [name: string]: Value }

/** One facet: its buckets in the order they are answered in, the missing ones under `_missing`. */
export type Buckets = readonly (readonly [key: string, count: number])[]

/** What has to be equal, whoever answers. */
export interface Answer {
  /** Records that match. */
  readonly total?: number
  readonly facets?: Readonly<Record<string, Buckets>>
  /** The records of the page, in order; null, empty objects and empty arrays left out. */
  readonly records?: readonly Value[]
  /** The whole body, byte for byte. */
  readonly body?: { readonly bytes: number; readonly lines: number; readonly sha256: string }
  /** What a table holds, in whatever format. */
  readonly table?: TableContent
}

export interface TableContent {
  readonly records: number
  readonly samples: number
  /** Sum of the whole megabytes of each file, where the table has sizes. In bytes it was no exact number. */
  readonly megabytes: number
  /** Of all cells with their names, record by record; nulls left out. */
  readonly sha256: string
}

/**
 * Where two answers differ first, in words; undefined when they are equal.
 * @param alike whether two texts, numbers or the like pass for equal
 */
export function differenceOf(
  ours: unknown,
  theirs: unknown,
  at = 'the answer',
  alike: (ours: unknown, theirs: unknown) => boolean = Object.is,
): string | undefined {
  if (alike(ours, theirs)) return undefined
  if (!isGroup(ours) || !isGroup(theirs) || Array.isArray(ours) !== Array.isArray(theirs)) {
    return `${at}: ${told(ours)} and ${told(theirs)}`
  }
  const names = new Set([...Object.keys(ours), ...Object.keys(theirs)])
  for (const name of names) {
    const difference = differenceOf(ours[name], theirs[name], `${at}.${name}`, alike)
    if (difference !== undefined) return difference
  }
  return undefined
}

function isGroup(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

function told(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 120)
}

/** A record without `id`, which only some give beside the typed id, and without what is empty. */
export function plainRecord(record: Value): Value {
  const full = withoutEmpty(record)
  if (!isGroup(full) || Array.isArray(full)) return full ?? null
  return Object.fromEntries(Object.entries(full).filter(([name]) => name !== 'id'))
}

function withoutEmpty(value: Value): Value | undefined {
  if (value === null) return undefined
  if (Array.isArray(value)) {
    const kept = value.map(withoutEmpty).filter((each) => each !== undefined)
    return kept.length > 0 ? kept : undefined
  }
  if (!isGroup(value)) return value
  const kept = Object.entries(value)
    .map(([name, inner]) => [name, withoutEmpty(inner)] as const)
    .filter((entry): entry is [string, Value] => entry[1] !== undefined)
  return kept.length > 0 ? Object.fromEntries(kept) : undefined
}

/** Counts by key in the order of the contract: most first, then by key; `_missing` last. */
export function orderBuckets(counts: ReadonlyMap<string | null, number>): Buckets {
  const buckets = [...counts].filter((entry): entry is [string, number] => entry[0] !== null)
  buckets.sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
  const missing = counts.get(null) ?? 0
  return missing > 0 ? [...buckets, ['_missing', missing]] : buckets
}

/** Length, lines and digest of a file. */
export async function bodyOf(path: string): Promise<NonNullable<Answer['body']>> {
  const hash = createHash('sha256')
  let bytes = 0
  let lines = 0
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    hash.update(chunk)
    bytes += chunk.length
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines++
  }
  return { bytes, lines, sha256: hash.digest('hex') }
}
