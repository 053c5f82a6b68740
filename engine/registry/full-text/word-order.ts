import { grown } from '../../shared/arrays/growing.ts'

/** Marks the start of a text and adds the index of its weight. Word codes are always lower. */
const TEXT = 2 ** 31

/**
 * The sequence of words of each slot, for phrase searches. A joined word, such as a code, is stored as its
 * parts. Slots are numbered from 0 and written in order.
 */
export class WordOrder {
  #codes = new Uint32Array(64)
  #used = 0
  /** Start of each slot's words. The end is the start of the next slot. */
  #starts = new Uint32Array(16)
  #slots = 0
  /** The distinct weights of texts. There are few. */
  readonly #weights: number[] = []

  addSlot(): void {
    if (this.#slots >= this.#starts.length) this.#starts = grown(this.#starts, this.#slots + 1)
    this.#starts[this.#slots++] = this.#used
  }

  /** Starts a text of the last slot. */
  addText(weight: number): void {
    const known = this.#weights.indexOf(weight)
    this.#add(TEXT + (known < 0 ? this.#weights.push(weight) - 1 : known))
  }

  /** Adds a word to the last text. */
  addWord(code: number): void {
    this.#add(code)
  }

  /** Adds a slot with the words of a slot from another order. The new code of a word is `newCodes[code] - 1`. */
  copySlot(from: WordOrder, slot: number, newCodes: Uint32Array): void {
    this.addSlot()
    const end = from.#endOf(slot)
    for (let i = from.#starts[slot]!; i < end; i++) {
      const code = from.#codes[i]!
      if (code >= TEXT) this.addText(from.#weights[code - TEXT]!)
      else this.addWord((newCodes[code] as number) - 1)
    }
  }

  /** Sums the weights of the texts of a slot, once for each occurrence of the phrase. */
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
