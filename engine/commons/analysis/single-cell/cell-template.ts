import type { Cached } from '../../../shared/executor.ts'
import type { CellNames } from './cell-names.ts'

const BEFORE_NAME = Buffer.from('{"cell_id":')
const BEFORE_VALUE = Buffer.from(',"value":')
const ZERO = Buffer.from('0.0')
const END = Buffer.from('},')

/**
 * JSON text of a range of cells in which every number is 0.0. The output is a copy of it in which the numbers of
 * cells that are not zero are replaced.
 */
export interface CellTemplate extends Cached {
  readonly text: Buffer
  /** Offset in `text` of each cell's number. */
  readonly valueAt: Uint32Array
}

/** Creates the template for cells with the given names. */
export function templateOf({ bytes: names, ends }: CellNames): CellTemplate {
  const around = BEFORE_NAME.length + BEFORE_VALUE.length + ZERO.length + END.length
  const text = Buffer.allocUnsafeSlow(names.length + around * ends.length)
  const valueAt = new Uint32Array(ends.length)
  let at = 0
  const put = (part: Uint8Array) => {
    text.set(part, at)
    at += part.length
  }
  for (const [i, end] of ends.entries()) {
    put(BEFORE_NAME)
    put(names.subarray(i === 0 ? 0 : ends[i - 1], end))
    put(BEFORE_VALUE)
    valueAt[i] = at
    put(ZERO)
    put(END)
  }
  return { text, valueAt, bytes: text.length + valueAt.byteLength }
}

/** Returns the maximum length in bytes of the output made from a template. */
export const mostPrintedBytes = ({ text, valueAt }: CellTemplate) =>
  text.length + MAX_TEXT * valueAt.length

/**
 * Writes the cells of a template with the given numbers, separated by commas.
 * @returns the end offset
 */
export function printCells(
  { text, valueAt }: CellTemplate,
  numbers: Float64Array,
  texts: NumberTexts,
  into: Buffer,
  start: number,
): number {
  let at = start
  // Offset up to which the template has been copied.
  let from = 0
  for (let i = 0; i < numbers.length; i++) {
    const number = numbers[i]!
    // The template already has 0.0 here. Negative zero is written as -0.0.
    if (number === 0 && 1 / number > 0) continue
    const to = valueAt[i]!
    at = copy(text, from, to, into, at)
    at = texts.write(number, into, at)
    from = to + ZERO.length
  }
  at = copy(text, from, text.length, into, at)
  // The comma after the last cell is dropped.
  return numbers.length === 0 ? at : at - 1
}

/** Up to this length, bytes are copied one by one, because calling `copy` takes longer. */
const SHORT = 64

function copy(text: Buffer, from: number, to: number, into: Buffer, at: number): number {
  const end = at + to - from
  if (to - from > SHORT) into.set(text.subarray(from, to), at)
  else for (let i = at, j = from; i < end; i++, j++) into[i] = text[j]!
  return end
}

/** Maximum length of a double as text: a sign, `0.`, five zeros and 17 digits, as in -0.0000012345678901234567. */
const MAX_TEXT = 25
/** Number of cached texts. Counts and their logarithms have few distinct values, which recur in every gene. */
const SLOTS = 1 << 15

/** Direct-mapped cache of numbers as text. A new number replaces the number in the same slot. */
export class NumberTexts implements Cached {
  readonly bytes = SLOTS * (8 + 1 + MAX_TEXT)
  readonly #numbers = new Float64Array(SLOTS)
  readonly #lengths = new Uint8Array(SLOTS)
  readonly #texts = new Uint8Array(SLOTS * MAX_TEXT)
  readonly #number = new Float64Array(1)
  readonly #halves = new Uint32Array(this.#number.buffer)

  /**
   * Writes a number that is not positive zero.
   * @returns the offset of the end
   */
  write(number: number, into: Buffer, start: number): number {
    this.#number[0] = number
    const low = this.#halves[0]!
    const high = this.#halves[1]!
    const slot = (Math.imul(low ^ Math.imul(high, 0x9e3779b1), 0x85ebca6b) >>> 17) % SLOTS
    const from = slot * MAX_TEXT
    const texts = this.#texts
    // `===` does not distinguish -0 from the 0 of an empty slot.
    if (this.#numbers[slot] !== number || number === 0 || this.#lengths[slot] === 0) {
      const text = numberText(number)
      for (let i = 0; i < text.length; i++) texts[from + i] = text.charCodeAt(i)
      this.#numbers[slot] = number
      this.#lengths[slot] = text.length
    }
    const length = this.#lengths[slot]!
    for (let i = 0; i < length; i++) into[start + i] = texts[from + i]!
    return start + length
  }
}

/**
 * Formats a number with a decimal point or exponent, so that typed parsers read it as a double. NaN and
 * infinity become null, since JSON cannot express them.
 */
function numberText(value: number): string {
  if (!Number.isFinite(value)) return 'null'
  if (Object.is(value, -0)) return '-0.0'
  const text = String(value)
  return /^-?\d+$/.test(text) ? `${text}.0` : text
}
