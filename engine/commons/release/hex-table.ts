import { free, grown } from '../../shared/arrays/growing.ts'
import { sortTexts } from './sort-texts.ts'
import { type HexForm, PACKED_BYTES, readHex } from './text-form.ts'
import { isMostlyNew, type PackedValues, type ValueTable } from './value-table.ts'

const WORDS = 4

/** Texts of one hexadecimal form, packed into 16 bytes each. Their bytes sort in the same order as the texts. */
export class HexTable implements ValueTable {
  readonly form: HexForm
  #size = 0
  /** Packed texts, four words per code. */
  #words = new Uint32Array(16 * WORDS)
  /**
   * Hash table of codes, in which 0 is free. It uses open addressing with linear probing and is at most half
   * full. Undefined after the search for duplicates has been stopped.
   */
  #slots: Uint32Array<ArrayBuffer> | undefined = new Uint32Array(32)
  #asked = 0
  readonly #wanted = new Uint32Array(WORDS)

  constructor(form: HexForm) {
    this.form = form
  }

  get size(): number {
    return this.#size
  }

  /** Returns the code of the text `source[start … end - 1]`, or 0 if it does not have the table's form. */
  codeOf(source: Uint8Array, start: number, end: number): number {
    const wanted = this.#wanted
    if (!readHex(this.form, source, start, end, wanted)) return 0
    const slots = this.#slots
    if (!slots) {
      if (!this.#is(this.#size)) this.#append()
      return this.#size
    }
    this.#asked++
    const mask = slots.length - 1
    let slot = hashOf(wanted, 0) & mask
    for (;;) {
      const code = slots[slot]!
      if (code === 0) break
      if (this.#is(code)) return code
      slot = (slot + 1) & mask
    }
    slots[slot] = this.#append()
    if (this.#size * 2 > slots.length) this.#spread(slots)
    return this.#size
  }

  /** Whether duplicates are still searched for. */
  get isDistinct(): boolean {
    return this.#slots !== undefined
  }

  /** Stops the search for duplicates, except for the value just before. */
  trustDistinct(): void {
    if (this.#slots) free(this.#slots)
    this.#slots = undefined
  }

  #is(code: number): boolean {
    return code > 0 && isEqual(this.#words, code * WORDS, this.#wanted, 0)
  }

  #append(): number {
    const code = ++this.#size
    const at = code * WORDS
    if (at + WORDS > this.#words.length) this.#words = grown(this.#words, at + WORDS)
    for (let i = 0; i < WORDS; i++) this.#words[at + i] = this.#wanted[i]!
    return code
  }

  #spread(old: Uint32Array<ArrayBuffer>): void {
    if (isMostlyNew(this.#size, this.#asked)) {
      this.trustDistinct()
      return
    }
    const slots = new Uint32Array(old.length * 2)
    const mask = slots.length - 1
    for (let code = 1; code <= this.#size; code++) {
      let slot = hashOf(this.#words, code * WORDS) & mask
      while (slots[slot] !== 0) slot = (slot + 1) & mask
      slots[slot] = code
    }
    free(old)
    this.#slots = slots
  }

  /** Returns the text of a code. */
  text(code: number): string {
    const words = this.#words.subarray(code * WORDS, (code + 1) * WORDS)
    const hex = Array.from(words, (word) => word.toString(16).padStart(8, '0')).join('')
    return this.form === 'hex' ? hex : hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  }

  pack(): PackedValues {
    this.trustDistinct()
    const size = this.#size
    const words = this.#words
    // The first four words belong to no code.
    const given = Buffer.from(words.buffer, WORDS * 4, size * PACKED_BYTES).swap32()
    const order = sortTexts({ bytes: given, count: size, width: PACKED_BYTES })
    const ranks = new Uint32Array(size + 1)
    const sorted = new Uint32Array(size * WORDS)
    let distinct = 0
    for (let i = 0; i < size; i++) {
      const code = order[i]!
      const at = code * WORDS
      const to = distinct * WORDS
      if (distinct === 0 || !isEqual(sorted, to - WORDS, words, at)) {
        for (let j = 0; j < WORDS; j++) sorted[to + j] = words[at + j]!
        distinct++
      }
      ranks[code] = distinct
    }
    for (const array of [order, words]) free(array)
    const facts = { width: PACKED_BYTES, form: this.form }
    const bytes = new Uint8Array(sorted.buffer, 0, distinct * PACKED_BYTES)
    return { distinct, facts, arrays: { bytes }, ranks }
  }
}

function isEqual(a: Uint32Array, at: number, b: Uint32Array, bt: number): boolean {
  return (
    a[at] === b[bt] && a[at + 1] === b[bt + 1] && a[at + 2] === b[bt + 2] && a[at + 3] === b[bt + 3]
  )
}

function hashOf(words: Uint32Array, at: number): number {
  let hash = Math.imul(words[at]! ^ words[at + 3]!, 0x9e3779b1)
  hash = Math.imul(hash ^ (hash >>> 15) ^ words[at + 1]!, 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13) ^ words[at + 2]!, 0xc2b2ae35)
  return hash ^ (hash >>> 16)
}
