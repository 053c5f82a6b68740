import { grown } from '../../shared/arrays/growing.ts'

/** What stands before the words of a text, with the place of its weight. No code is so high. */
const TEXT = 2 ** 31

/**
 * The words of each slot as they follow each other, for phrases. A word that is joined, such as a
 * code, stands there by its parts. Slots are numbered from 0 and written one after the other.
 */
export class WordOrder {
  #codes = new Uint32Array(64)
  #used = 0
  /** By slot, where its words begin; they end where those of the next one begin. */
  #starts = new Uint32Array(16)
  #slots = 0
  /** Of texts; few are different. */
  readonly #weights: number[] = []

  addSlot(): void {
    if (this.#slots >= this.#starts.length) this.#starts = grown(this.#starts, this.#slots + 1)
    this.#starts[this.#slots++] = this.#used
  }

  /** Begins a text of the last slot. */
  addText(weight: number): void {
    const known = this.#weights.indexOf(weight)
    this.#add(TEXT + (known < 0 ? this.#weights.push(weight) - 1 : known))
  }

  /** Adds a word to the last text. */
  addWord(code: number): void {
    this.#add(code)
  }

  /** A new slot with the words of another one's, each under its new code + 1. */
  copySlot(from: WordOrder, slot: number, newCodes: Uint32Array): void {
    this.addSlot()
    const end = from.#endOf(slot)
    for (let i = from.#starts[slot]!; i < end; i++) {
      const code = from.#codes[i]!
      if (code >= TEXT) this.addText(from.#weights[code - TEXT]!)
      else this.addWord((newCodes[code] as number) - 1)
    }
  }

  /** The sum of the weights of the texts of a slot, for each time that the words follow each other there. */
  weightOf(slot: number, phrase: readonly number[]): number {
    const first = phrase[0] as number
    const end = this.#endOf(slot)
    let weight = 0
    let sum = 0
    for (let i = this.#starts[slot]!; i < end; i++) {
      const code = this.#codes[i]!
      if (code >= TEXT) weight = this.#weights[code - TEXT]!
      else if (code === first && this.#follow(phrase, i, end)) sum += weight
    }
    return sum
  }

  #follow(phrase: readonly number[], from: number, end: number): boolean {
    if (from + phrase.length > end) return false
    for (let nth = 1; nth < phrase.length; nth++) {
      if (this.#codes[from + nth] !== phrase[nth]) return false
    }
    return true
  }

  #endOf(slot: number): number {
    return slot + 1 < this.#slots ? this.#starts[slot + 1]! : this.#used
  }

  #add(code: number): void {
    if (this.#used >= this.#codes.length) this.#codes = grown(this.#codes, this.#used + 1)
    this.#codes[this.#used++] = code
  }
}
