import { badInput } from './input.ts'
import { isPattern } from './pattern.ts'

/**
 * Limits of the filters of one request: nesting depth, number of values and their bytes (data-commons.md
 * 11.34), number of patterns with `*` and their characters, and number of regions, each of which takes a pass
 * over all positions (11.41).
 */
export const FILTER_LIMITS = Object.freeze({
  depth: 32,
  values: 65_536,
  textBytes: 4 << 20,
  patterns: 1000,
  patternLength: 1000,
  regions: 100,
})

/** Remaining budget of the filters of one request. It is charged before values are processed. */
export class FilterBudget {
  #values = 0
  #textBytes = 0
  #patterns = 0
  #regions = 0

  /**
   * Charges a number of values.
   * @throws EngineError bad_input with the place, if the request has too many values
   */
  spendValues(count: number, at: string): void {
    this.#values += count
    if (this.#values > FILTER_LIMITS.values) throw tooMany(`${FILTER_LIMITS.values} values`, at)
  }

  /**
   * Charges the text of a value.
   * @param place returns the place of the value for the message
   * @throws EngineError bad_input with the place, if the texts of the request are too long
   */
  spendText(text: string, place: () => string): void {
    this.#textBytes += Buffer.byteLength(text)
    const { textBytes } = FILTER_LIMITS
    if (this.#textBytes > textBytes) throw tooMany(`${textBytes} bytes of text of values`, place())
    if (isPattern(text)) this.#spendPattern(text, place())
  }

  /**
   * Charges one region.
   * @throws EngineError bad_input with the place, if the request has too many regions
   */
  spendRegion(at: string): void {
    this.#regions += 1
    if (this.#regions > FILTER_LIMITS.regions) throw tooMany(`${FILTER_LIMITS.regions} regions`, at)
  }

  #spendPattern({ length }: string, at: string): void {
    const { patterns, patternLength } = FILTER_LIMITS
    this.#patterns += 1
    if (this.#patterns > patterns) throw tooMany(`${patterns} values with "*"`, at)
    if (length <= patternLength) return
    const message = `${at} with "*" has ${length} characters; the limit is ${patternLength}`
    throw badInput(message, at)
  }
}

const tooMany = (what: string, at: string) =>
  badInput(`the filters have more than ${what}, which is the limit`, at)
