import { free, grown } from '../../shared/arrays/growing.ts'

/**
 * Records which letters of folded texts are upper case in documents. It takes one bit per letter, and no memory
 * as long as there is no upper-case letter.
 */
export class UpperLetters {
  #codes = 0
  #bits = new Uint8Array(0)
  /** End of each text's bits in bytes: text n ends at ends[n]. A text without upper-case letters has no bits. */
  #ends = new Uint32Array(0)
  #some = false
  #agrees = true

  /** Whether each text has a single spelling that differs from the folded text only in ASCII letters. */
  get agrees(): boolean {
    return this.#agrees
  }

  /** Records that a text cannot be restored from its folded form. */
  disagree(): void {
    this.#agrees = false
  }

  /**
   * Records the spelling of a text.
   * @param code temporary code of the folded text; a new one is one above the last
   * @param written bytes of the document, in which the text has the same length as when folded
   */
  add(code: number, written: Uint8Array, start: number, end: number): void {
    if (!this.#agrees) return
    if (code > this.#codes) this.#append(code, written, start, end)
    else if (!this.#equals(code, written, start, end)) this.#agrees = false
  }

  /**
   * Records the spelling of a text with any characters.
   * @param text original text
   * @param folded folded text in UTF-8
   */
  addText(code: number, text: string, folded: Uint8Array): void {
    const written = Buffer.from(text)
    const isInPlace =
      written.length === folded.length &&
      folded.every((byte, i) => {
        const own = written[i]!
        return byte === own || (isUpper(own) && byte === (own | 0x20))
      })
    // JSON can express a lone surrogate, but UTF-8 cannot.
    if (!isInPlace || !text.isWellFormed()) this.#agrees = false
    else if (folded.every((byte, i) => byte === written[i])) this.addLower(code)
    else this.add(code, written, 0, written.length)
  }

  /** Records a text without upper-case letters. */
  addLower(code: number): void {
    if (code > this.#codes) {
      this.#codes = code
      if (this.#some) this.#endAt(code, this.#ends[code - 1]!)
    } else if (this.#some && this.#ends[code] !== this.#ends[code - 1]) {
      this.#agrees = false
    }
  }

  #append(code: number, written: Uint8Array, start: number, end: number): void {
    const from = this.#some ? this.#ends[code - 1]! : 0
    const to = from + ((end - start + 7) >> 3)
    if (to > this.#bits.length) this.#bits = grown(this.#bits, to)
    for (let i = start; i < end; i++) {
      if (!isUpper(written[i]!)) continue
      const at = from + ((i - start) >> 3)
      this.#bits[at] = this.#bits[at]! | (1 << ((i - start) & 7))
    }
    this.#some = true
    this.#codes = code
    this.#endAt(code, to)
  }

  #endAt(code: number, end: number): void {
    if (code >= this.#ends.length) this.#ends = grown(this.#ends, code + 1)
    this.#ends[code] = end
  }

  #equals(code: number, written: Uint8Array, start: number, end: number): boolean {
    const from = this.#some ? this.#ends[code - 1]! : 0
    const to = this.#some ? this.#ends[code]! : 0
    if (to - from !== (end - start + 7) >> 3) return false
    for (let i = start; i < end; i++) {
      const bit = (this.#bits[from + ((i - start) >> 3)]! >> ((i - start) & 7)) & 1
      if ((bit === 1) !== isUpper(written[i]!)) return false
    }
    return true
  }

  /**
   * Returns one bit per byte of the dictionary. Undefined if no letter is upper case, or if spellings of a text
   * vary. The records are freed.
   * @param ends ends of the dictionary's texts; absent if they are packed
   * @param ranks final code of each temporary code
   */
  take(ends: Uint32Array | undefined, ranks: Uint32Array): Uint8Array | undefined {
    const bits = this.#some && this.#agrees ? this.#spread(ends, ranks) : undefined
    free(this.#bits)
    free(this.#ends)
    return this.#agrees ? bits : undefined
  }

  #spread(ends: Uint32Array | undefined, ranks: Uint32Array): Uint8Array | undefined {
    if (!ends) {
      // Packed digits are always lower case.
      this.#agrees = false
      return undefined
    }
    const spread = new Uint8Array((ends.at(-1)! + 7) >> 3)
    const seen = new Uint8Array(ends.length)
    for (let code = 1; code <= this.#codes; code++) {
      const rank = ranks[code]!
      const start = ends[rank - 1]!
      const length = ends[rank]! - start
      const from = this.#ends[code - 1]!
      const has = this.#ends[code] !== from
      for (let i = 0; i < length && this.#agrees; i++) {
        const bit = has ? (this.#bits[from + (i >> 3)]! >> (i & 7)) & 1 : 0
        const at = (start + i) >> 3
        const mask = 1 << ((start + i) & 7)
        // Equal texts may have several temporary codes.
        if (seen[rank] === 1) this.#agrees &&= ((spread[at]! & mask) !== 0) === (bit === 1)
        else if (bit === 1) spread[at] = spread[at]! | mask
      }
      seen[rank] = 1
    }
    return spread
  }
}

const isUpper = (byte: number) => byte >= 0x41 && byte <= 0x5a
