import { type Bits, hasBit } from '../../shared/arrays/bitset.ts'
import { grown } from '../../shared/arrays/growing.ts'

/**
 * Posting lists, one per term: ascending lists of slots that only grow. All lists are in one array. A full list
 * moves to a block of twice the size, and its old block is reused.
 */
export class Postings {
  /** The list of a term starts at `starts[term]` and has `lengths[term]` entries. */
  slots = new Uint32Array(16)
  /** The weight of each slot, if the lists are weighted. */
  weights: Float32Array
  starts = new Uint32Array(16)
  lengths = new Uint32Array(16)
  #capacities = new Uint32Array(16)
  readonly #isWeighted: boolean
  #terms = 0
  #used = 0
  /** Starts of unused blocks, indexed by the exponent of their size, which is a power of two. */
  readonly #unused: number[][] = []

  constructor({ weighted }: { readonly weighted: boolean }) {
    this.#isWeighted = weighted
    this.weights = new Float32Array(weighted ? 16 : 0)
  }

  /** Adds a term with an empty list of this capacity. Terms are numbered from 0. */
  addTerm(capacity = 0): number {
    const term = this.#terms++
    if (term >= this.starts.length) {
      this.starts = grown(this.starts, term + 1)
      this.lengths = grown(this.lengths, term + 1)
      this.#capacities = grown(this.#capacities, term + 1)
    }
    if (capacity > 0) {
      this.starts[term] = this.#newBlock(capacity)
      this.#capacities[term] = capacity
    }
    return term
  }

  /** Appends a slot, which must be above all slots of the term. */
  add(term: number, slot: number, weight = 1): void {
    const length = this.lengths[term]!
    if (length === this.#capacities[term]) this.#move(term, length)
    const place = this.starts[term]! + length
    this.slots[place] = slot
    if (this.#isWeighted) this.weights[place] = weight
    this.lengths[term] = length + 1
  }

  /** Counts the slots of a term whose bit is set. */
  countAmong(term: number, bits: Bits): number {
    const start = this.starts[term]!
    const end = start + this.lengths[term]!
    let count = 0
    for (let i = start; i < end; i++) if (hasBit(bits, this.slots[i]!)) count++
    return count
  }

  /**
   * Adds a term with a copy of a list from other postings. Each slot becomes `places[slot] - 1`, and slots whose
   * place is 0 are dropped. Places must ascend with the slots. `count` is the number of slots that remain.
   */
  copyTerm(from: Postings, term: number, places: Uint32Array, count: number): number {
    const copy = this.addTerm(count)
    const start = from.starts[term]!
    const end = start + from.lengths[term]!
    for (let i = start; i < end; i++) {
      const place = places[from.slots[i]!] as number
      if (place > 0) this.add(copy, place - 1, from.weights[i])
    }
    return copy
  }

  #move(term: number, length: number): void {
    const power = length === 0 ? 0 : 32 - Math.clz32(length)
    const start = this.#unused[power]?.pop() ?? this.#newBlock(2 ** power)
    if (length > 0) {
      const from = this.starts[term]!
      this.slots.copyWithin(start, from, from + length)
      if (this.#isWeighted) this.weights.copyWithin(start, from, from + length)
      const left = 31 - Math.clz32(this.#capacities[term]!)
      this.#unused[left] ??= []
      this.#unused[left].push(from)
    }
    this.starts[term] = start
    this.#capacities[term] = 2 ** power
  }

  #newBlock(capacity: number): number {
    const start = this.#used
    this.#used += capacity
    if (this.#used > this.slots.length) {
      this.slots = grown(this.slots, this.#used)
      if (this.#isWeighted) this.weights = grown(this.weights, this.#used)
    }
    return start
  }
}
