import { free, grown } from '../../shared/arrays/growing.ts'
import type { PackedValues, ValueTable } from './value-table.ts'

/** Distinct numbers. NaN is not allowed; 0 and -0 are the same. */
export class NumberTable implements ValueTable {
  #size = 0
  /** Number of each code. */
  #numbers = new Float64Array(16)
  /** Hash table of codes, in which 0 is free: open addressing with linear probing, at most half full. */
  #slots = new Uint32Array(32)
  readonly #number = new Float64Array(1)
  readonly #bits = new Uint32Array(this.#number.buffer)

  codeOf(value: number): number {
    const number = value + 0
    const numbers = this.#numbers
    const slots = this.#slots
    const mask = slots.length - 1
    let slot = this.#hashOf(number) & mask
    for (;;) {
      const code = slots[slot]!
      if (code === 0) break
      if (numbers[code] === number) return code
      slot = (slot + 1) & mask
    }
    const code = ++this.#size
    if (code >= numbers.length) this.#numbers = grown(numbers, code + 1)
    this.#numbers[code] = number
    slots[slot] = code
    if (code * 2 > slots.length) this.#spread()
    return code
  }

  #hashOf(number: number): number {
    this.#number[0] = number
    let hash = Math.imul(this.#bits[0]! ^ 0x9e3779b1, 0x85ebca6b)
    hash = Math.imul(hash ^ (hash >>> 15) ^ this.#bits[1]!, 0xc2b2ae35)
    return hash ^ (hash >>> 16)
  }

  #spread(): void {
    const slots = new Uint32Array(this.#slots.length * 2)
    const mask = slots.length - 1
    for (let code = 1; code <= this.#size; code++) {
      let slot = this.#hashOf(this.#numbers[code]!) & mask
      while (slots[slot] !== 0) slot = (slot + 1) & mask
      slots[slot] = code
    }
    free(this.#slots)
    this.#slots = slots
  }

  pack(): PackedValues {
    const numbers = this.#numbers.slice(1, this.#size + 1).sort()
    const ranks = new Uint32Array(this.#size + 1)
    for (let i = 0; i < numbers.length; i++) ranks[this.codeOf(numbers[i]!)] = i + 1
    free(this.#slots)
    free(this.#numbers)
    return { distinct: this.#size, facts: {}, arrays: { numbers }, ranks }
  }
}
