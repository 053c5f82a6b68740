import { free, grown } from '../../shared/arrays/growing.ts'
import type { Codes } from './layout.ts'

/**
 * Codes of one field by element. The first code of each element is in an array indexed by element. Further codes
 * are in a second list, because few fields have any. Elements are added in ascending order. An element that is
 * skipped has code 0. The array has the narrowest type that fits its codes.
 */
export class ElementCodes {
  #first: Codes = new Uint8Array(16)
  #most = 0xff
  #elements = 0
  #moreElements = new Uint32Array(0)
  #moreCodes = new Uint32Array(0)
  #moreCount = 0

  add(element: number, code: number): void {
    if (code > this.#most) this.#widen(code)
    if (element < this.#elements) {
      this.#addMore(element, code)
      return
    }
    if (element >= this.#first.length) this.#first = grown(this.#first, element + 1)
    this.#first[element] = code
    this.#elements = element + 1
  }

  /** Returns the first code of each of this many elements. From then on, the caller owns the array. */
  takeFirst(elements: number): Codes {
    if (elements > this.#first.length) this.#first = grown(this.#first, elements)
    return this.#first.subarray(0, elements)
  }

  /** All codes after the first of each element, in ascending order of elements. */
  get more(): { readonly elements: Uint32Array; readonly codes: Uint32Array } {
    return {
      elements: this.#moreElements.subarray(0, this.#moreCount),
      codes: this.#moreCodes.subarray(0, this.#moreCount),
    }
  }

  #widen(code: number): void {
    const kind = code > 0xffff ? Uint32Array : Uint16Array
    this.#most = code > 0xffff ? 0xffffffff : 0xffff
    const wide = new kind(this.#first.length)
    wide.set(this.#first)
    free(this.#first)
    this.#first = wide
  }

  #addMore(element: number, code: number): void {
    const at = this.#moreCount++
    if (at >= this.#moreElements.length) {
      this.#moreElements = grown(this.#moreElements, at + 1)
      this.#moreCodes = grown(this.#moreCodes, at + 1)
    }
    this.#moreElements[at] = element
    this.#moreCodes[at] = code
  }
}
