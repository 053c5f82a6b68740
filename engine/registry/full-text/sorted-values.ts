import { countUp } from '../../shared/arrays/rank-sort.ts'

export type Value = string | number

/** Number of values to sort between pauses. */
const RUN = 1_024

/** Orders numbers before texts, numbers by value and texts by code units. */
export function compareValues(a: Value, b: Value): number {
  if (typeof a !== typeof b) return typeof a === 'number' ? -1 : 1
  return a < b ? -1 : a > b ? 1 : 0
}

interface RetainedValues<V extends Value> {
  readonly values: SortedValues<V>
  /** New code + 1, indexed by old code; 0 if the value was not retained. */
  readonly codes: Uint32Array
}

/**
 * Distinct values with stable codes, numbered from 0 in order of arrival, and their sort order. New values
 * are sorted in bulk on demand, so that adding is cheap.
 */
export class SortedValues<V extends Value> {
  readonly #values: V[] = []
  readonly #codes = new Map<V, number>()
  /** Codes in the order of their values. Codes that are not less than its length are not sorted yet. */
  #sorted: Uint32Array = new Uint32Array(0)
  #ranks: Uint32Array | undefined

  get size(): number {
    return this.#values.length
  }

  find(value: V): number | undefined {
    return this.#codes.get(value)
  }

  /** Returns the code of a value. A new value gets a new code. */
  code(value: V): number {
    const known = this.#codes.get(value)
    if (known !== undefined) return known
    const code = this.#values.length
    this.#values.push(value)
    this.#codes.set(value, code)
    return code
  }

  value(code: number): V {
    return this.#values[code] as V
  }

  /** Sorts new values in steps. Values added between steps are sorted, too. */
  *settle(): Generator<void, void> {
    while (this.#sorted.length < this.size) {
      const before = this.#sorted
      const added = yield* this.#sort(before.length, this.size)
      const merged = yield* this.#merge(before, added)
      // A caller may have settled the values during a pause.
      if (this.#sorted === before) {
        this.#sorted = merged
        this.#ranks = undefined
      }
    }
  }

  /** Codes in the order of their values. Values must be settled, here and in the methods below. */
  get inOrder(): Uint32Array {
    return this.#sorted
  }

  /** Returns the rank of each code. */
  ranks(): Uint32Array {
    if (!this.#ranks) {
      this.#ranks = new Uint32Array(this.#sorted.length)
      for (let i = 0; i < this.#sorted.length; i++) this.#ranks[this.#sorted[i]!] = i
    }
    return this.#ranks
  }

  /** Counts the values below a boundary by binary search. `isBelow` must be true for a prefix of the order. */
  countBelow(
    isBelow: (value: V) => boolean,
    { sorted = this.#sorted, from = 0 }: { sorted?: Uint32Array; from?: number } = {},
  ): number {
    let low = from
    let high = sorted.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (isBelow(this.value(sorted[middle]!))) low = middle + 1
      else high = middle
    }
    return low
  }

  /** Copies the retained values. The new codes ascend with the values. */
  *retain(isRetained: (code: number) => boolean): Generator<void, RetainedValues<V>> {
    const values = new SortedValues<V>()
    const codes = new Uint32Array(this.size)
    const order = this.#sorted
    for (let i = 0; i < order.length; i++) {
      const code = order[i]!
      if (isRetained(code)) codes[code] = values.code(this.value(code)) + 1
      if (i % RUN === 0) yield
    }
    values.#sorted = countUp(0, values.size)
    return { values, codes }
  }

  *#sort(from: number, to: number): Generator<void, Uint32Array> {
    let sorted = countUp(from, to - from)
    const compare = (a: number, b: number) => compareValues(this.value(a), this.value(b))
    for (let start = 0; start < sorted.length; start += RUN) {
      sorted.subarray(start, start + RUN).sort(compare)
      yield
    }
    let other = new Uint32Array(sorted.length)
    for (let run = RUN; run < sorted.length; run *= 2) {
      for (let start = 0; start < sorted.length; start += 2 * run) {
        const halves = [start, start + run, start + 2 * run] as const
        yield* mergeRuns(sorted, other, halves, compare)
      }
      ;[sorted, other] = [other, sorted]
    }
    return sorted
  }

  *#merge(before: Uint32Array, added: Uint32Array): Generator<void, Uint32Array> {
    if (before.length === 0) return added
    const merged = new Uint32Array(before.length + added.length)
    let taken = 0
    for (let i = 0; i < added.length; i++) {
      const value = this.value(added[i]!)
      const place = this.countBelow((other) => compareValues(other, value) < 0, {
        sorted: before,
        from: taken,
      })
      merged.set(before.subarray(taken, place), taken + i)
      merged[place + i] = added[i]!
      taken = place
      if (i % RUN === RUN - 1) yield
    }
    merged.set(before.subarray(taken), taken + added.length)
    return merged
  }
}

/** Merges two adjacent runs of an array. Writes them to the same range of another array. */
function* mergeRuns(
  from: Uint32Array,
  to: Uint32Array,
  [start, half, end]: readonly [number, number, number],
  compare: (a: number, b: number) => number,
): Generator<void, void> {
  const middle = Math.min(half, from.length)
  const last = Math.min(end, from.length)
  let left = start
  let right = middle
  for (let at = start; at < last; at++) {
    const isLeft = right >= last || (left < middle && compare(from[left]!, from[right]!) <= 0)
    to[at] = from[isLeft ? left++ : right++]!
    if (at % RUN === 0) yield
  }
}
