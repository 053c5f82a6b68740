import { free, grown } from '../../shared/arrays/growing.ts'
import { sortTexts } from './sort-texts.ts'
import { isMostlyNew, type PackedValues, type ValueTable } from './value-table.ts'

/** Texts, stored in UTF-8. */
export class TextTable implements ValueTable {
  #size = 0
  #bytes = new Uint8Array(256)
  /** End of each text: text n ends at ends[n], and ends[0] is 0. */
  #ends = new Uint32Array(16)
  /**
   * Hash table in which hashes and codes alternate, so that one memory access rules out most texts. Code 0 is
   * free. It uses open addressing with linear probing and is at most half full. Undefined after the search for
   * duplicates has been stopped.
   */
  #slots: Uint32Array<ArrayBuffer> | undefined = new Uint32Array(64)
  #asked = 0

  get size(): number {
    return this.#size
  }

  /** Returns the code of the text `source[start … end - 1]`. */
  codeOf(source: Uint8Array, start: number, end: number): number {
    const slots = this.#slots
    if (!slots) {
      if (!this.#is(this.#size, source, start, end)) this.#append(source, start, end)
      return this.#size
    }
    this.#asked++
    const hash = hashOf(source, start, end)
    const mask = slots.length - 1
    let slot = (hash << 1) & mask
    for (;;) {
      const code = slots[slot + 1]!
      if (code === 0) break
      if (slots[slot] === hash && this.#is(code, source, start, end)) return code
      slot = (slot + 2) & mask
    }
    slots[slot] = hash
    slots[slot + 1] = this.#append(source, start, end)
    if (this.#size * 4 > slots.length) this.#spread(slots)
    return this.#size
  }

  /** Stops the search for duplicates, except for the value just before. */
  trustDistinct(): void {
    if (this.#slots) free(this.#slots)
    this.#slots = undefined
  }

  #is(code: number, source: Uint8Array, start: number, end: number): boolean {
    const bytes = this.#bytes
    const from = this.#ends[code - 1]!
    if (this.#ends[code]! - from !== end - start) return false
    for (let i = from, j = start; j < end; i++, j++) if (bytes[i] !== source[j]) return false
    return true
  }

  #append(source: Uint8Array, start: number, end: number): number {
    const code = ++this.#size
    if (code >= this.#ends.length) this.#ends = grown(this.#ends, code + 1)
    const from = this.#ends[code - 1]!
    const to = from + end - start
    if (to > this.#bytes.length) this.#bytes = grown(this.#bytes, to)
    const bytes = this.#bytes
    for (let i = from, j = start; j < end; i++, j++) bytes[i] = source[j]!
    this.#ends[code] = to
    return code
  }

  #spread(old: Uint32Array<ArrayBuffer>): void {
    if (isMostlyNew(this.#size, this.#asked)) {
      this.trustDistinct()
      return
    }
    const slots = new Uint32Array(old.length * 2)
    const mask = slots.length - 1
    for (let i = 0; i < old.length; i += 2) {
      if (old[i + 1] === 0) continue
      let slot = (old[i]! << 1) & mask
      while (slots[slot + 1] !== 0) slot = (slot + 2) & mask
      slots[slot] = old[i]!
      slots[slot + 1] = old[i + 1]!
    }
    free(old)
    this.#slots = slots
  }

  pack(): PackedValues {
    const isDistinct = this.#slots !== undefined
    this.trustDistinct()
    const size = this.#size
    const given = { bytes: this.#bytes, ends: this.#ends.subarray(0, size + 1) }
    const order = sortTexts(given)
    const ranks = new Uint32Array(size + 1)
    const bytes = new Uint8Array(given.ends[size]!)
    const ends = new Uint32Array(size + 1)
    let distinct = 0
    let filled = 0
    for (let i = 0; i < size; i++) {
      const text = order[i]!
      const start = given.ends[text - 1]!
      const end = given.ends[text]!
      if (isDistinct || i === 0 || !this.#is(order[i - 1]!, given.bytes, start, end)) {
        for (let j = start; j < end; j++) bytes[filled++] = given.bytes[j]!
        ends[++distinct] = filled
      }
      ranks[text] = distinct
    }
    for (const array of [order, this.#bytes, this.#ends]) free(array)
    const arrays = { bytes: bytes.subarray(0, filled), ends: ends.subarray(0, distinct + 1) }
    return { distinct, facts: {}, arrays, ranks }
  }
}

/** Hashes four bytes per step. */
function hashOf(source: Uint8Array, start: number, end: number): number {
  let hash = end - start
  let at = start
  for (; at + 4 <= end; at += 4) {
    const word =
      source[at]! | (source[at + 1]! << 8) | (source[at + 2]! << 16) | (source[at + 3]! << 24)
    hash = Math.imul(hash ^ word, 0x9e3779b1)
    hash ^= hash >>> 15
  }
  for (; at < end; at++) hash = Math.imul(hash ^ source[at]!, 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 16), 0xc2b2ae35)
  return (hash ^ (hash >>> 13)) >>> 0
}
