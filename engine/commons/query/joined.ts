import type { Bits } from '../../shared/arrays/bitset.ts'
import type { Cached } from '../../shared/executor.ts'
import type { Codes } from '../release/layout.ts'
import { countCodes } from './histogram.ts'
import { type Direct, type Lookup, offsetsOver } from './source.ts'

/** Keeps what was made once: a thread does so from query to query. */
export type Memo = <T extends Cached>(key: string, make: () => T) => T

/**
 * A field that is reached through levels and links, joined for all rows: a row has the number of the
 * set of codes that it counts for. Few sets are in use, so that counting rows is counting numbers.
 */
export interface Joined extends Cached {
  /** Number of each row's set; absent when there are too many sets. */
  readonly numbers?: Codes
  /** The set with the number of a code is that code alone. */
  readonly sets: readonly (readonly number[])[]
}

/** More sets than that are not worth while; a field with as many values is not to be joined. */
export const MAX_SETS = 4096

/** What is kept of a field that cannot be joined. */
export const UNJOINED: Joined = Object.freeze({ sets: [], bytes: 1024 })

/**
 * Joins a source. A row counts at 0 when one of its elements lacks the field or, if that is not
 * bound to elements, when it has no value at all.
 */
export function join(
  { levels, lookup }: Direct,
  { rows, distinct, isBound }: { rows: number; distinct: number; isBound: boolean },
): Joined {
  const sets: (readonly number[])[] = Array.from({ length: distinct + 1 }, (_, code) => [code])
  const numbers = new Uint16Array(rows)
  const several = new Sets(sets, isBound)
  const offsets = levels.length > 0 ? offsetsOver(levels) : undefined
  const { codes, via } = lookup
  for (let row = 0; row < rows; row++) {
    const from = offsets ? offsets[row]! : row
    const end = offsets ? offsets[row + 1]! : row + 1
    if (end - from === 1) {
      numbers[row] = codes[via ? via[from]! : from] as number
    } else {
      numbers[row] = several.numberOf(lookup, from, end)
      if (sets.length > MAX_SETS) return UNJOINED
    }
  }
  const narrow = sets.length <= 256 ? Uint8Array.from(numbers) : numbers
  return { numbers: narrow, sets, bytes: narrow.byteLength }
}

/** Finds the numbers of sets, and gives numbers to new ones. */
class Sets {
  readonly #sets: (readonly number[])[]
  readonly #isBound: boolean
  readonly #numbers = new Map<string | number, number>()

  constructor(sets: (readonly number[])[], isBound: boolean) {
    this.#sets = sets
    this.#isBound = isBound
  }

  /** Of the codes of some elements, of which there are not one. */
  numberOf({ codes, via }: Lookup, from: number, end: number): number {
    const first = codes[via ? via[from]! : from] as number
    if (end - from === 2) {
      const second = codes[via ? via[from + 1]! : from + 1] as number
      if (first === second) return first
      const [low, high] = first < second ? [first, second] : [second, first]
      return this.#known(low * MAX_SETS + high, () => [low, high])
    }
    const all = new Set<number>()
    for (let i = from; i < end; i++) all.add(codes[via ? via[i]! : i] as number)
    const list = [...all].sort((a, b) => a - b)
    return this.#known(list.join(), () => list)
  }

  #known(key: string | number, codesOf: () => readonly number[]): number {
    const known = this.#numbers.get(key)
    if (known !== undefined) return known
    const number = this.#numberOf(this.#counting(codesOf()))
    this.#numbers.set(key, number)
    return number
  }

  /** The codes that a row with these elements counts for. */
  #counting(codes: readonly number[]): readonly number[] {
    if (this.#isBound) return codes
    const values = codes.filter((code) => code !== 0)
    return values.length > 0 ? values : [0]
  }

  #numberOf(codes: readonly number[]): number {
    const [only] = codes
    if (codes.length === 1 && only !== undefined) return only
    return this.#sets.push(codes) - 1
  }
}

/** Counts rows by code. `undefined` when the field could not be joined. */
export function countJoined(
  { numbers, sets }: Joined,
  rows: Bits | undefined,
  distinct: number,
): Uint32Array | undefined {
  if (!numbers) return undefined
  const counts = new Uint32Array(distinct + 1)
  for (const [number, count] of countCodes({ codes: numbers }, rows, sets.length - 1).entries()) {
    for (const code of sets[number] as readonly number[]) {
      counts[code] = counts[code]! + count
    }
  }
  return counts
}
