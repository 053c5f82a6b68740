import { type Bits, setBit } from '../../shared/arrays/bitset.ts'
import { grown } from '../../shared/arrays/growing.ts'
import type { OrderRange } from './record.ts'
import { compareValues, SortedValues, type Value } from './sorted-values.ts'
import { foldText } from './words.ts'

/** The values of slots in one sort order, with texts folded. */
export class OrderValues {
  values = new SortedValues<Value>()
  /** Value code + 1, indexed by slot; 0 or out of bounds means no value. */
  #codes = new Uint32Array(16)

  set(slot: number, value: Value | undefined): void {
    if (value === undefined || Number.isNaN(value)) return
    if (slot >= this.#codes.length) this.#codes = grown(this.#codes, slot + 1)
    this.#codes[slot] = this.values.code(folded(value)) + 1
  }

  /** Copies the values to the slots `places[slot] - 1` and drops slots whose place is 0, in steps. */
  *copied(places: Uint32Array, slots: number): Generator<void, OrderValues> {
    const used = new Uint8Array(this.values.size + 1)
    const end = Math.min(places.length, this.#codes.length)
    for (let slot = 0; slot < end; slot++) {
      if (places[slot]! > 0) used[this.#codes[slot]!] = 1
    }
    const { values, codes } = yield* this.values.retain((code) => used[code + 1] === 1)
    const copy = new OrderValues()
    copy.values = values
    copy.#codes = new Uint32Array(slots)
    for (let slot = 0; slot < end; slot++) {
      const place = places[slot]!
      const code = this.#codes[slot]!
      if (place > 0 && code > 0) copy.#codes[place - 1] = codes[code - 1]!
    }
    return copy
  }

  /** Returns a sort key for each slot. Greater keys come first, and equal values have equal keys. */
  keysOf(slots: Uint32Array, descending: boolean): Float64Array {
    const ranks = this.values.ranks()
    const sign = descending ? 1 : -1
    const keys = new Float64Array(slots.length)
    for (let i = 0; i < slots.length; i++) {
      const code = this.#codes[slots[i]!] ?? 0
      keys[i] = code === 0 ? -ranks.length : sign * ranks[code - 1]!
    }
    return keys
  }

  /** Sets the bits of the slots whose values are in a range. The bits must have room for all slots. */
  within({ from, to }: OrderRange, bits: Bits): Bits {
    const places = [from, to].map((bound) => {
      if (bound === undefined) return undefined
      const value = folded(bound)
      return this.values.countBelow((other) => compareValues(other, value) < 0)
    })
    const [low = 0, high = this.values.size] = places
    const ranks = this.values.ranks()
    for (let slot = 0; slot < this.#codes.length; slot++) {
      const code = this.#codes[slot]!
      if (code === 0) continue
      const rank = ranks[code - 1]!
      if (rank >= low && rank < high) setBit(bits, slot)
    }
    return bits
  }
}

function folded(value: Value): Value {
  return typeof value === 'string' ? foldText(value) : value
}
