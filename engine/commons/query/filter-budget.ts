import { badInput } from './input.ts'
import { isPattern } from './pattern.ts'

/**
 * Depth of nesting of a filter, number of values of all filters of a request and bytes of their texts
 * (data-commons.md 11.34); values with `*` among these, and characters of each; regions, each of which
 * is a pass over all places (11.41).
 */
export const FILTER_LIMITS = Object.freeze({
  depth: 32,
  values: 65_536,
  textBytes: 4 << 20,
  patterns: 1000,
  patternLength: 1000,
  regions: 100,
})

/** What the filters of one request have of their common limits. Each is spent before it is paid for. */
export class FilterBudget {
  #values = 0
  #textBytes = 0
  #patterns = 0
  #regions = 0

  /** @throws EngineError bad_input naming the place, when there are too many */
  spendValues(count: number, at: string): void {
    this.#values += count
    if (this.#values > FILTER_LIMITS.values) throw tooMany(`${FILTER_LIMITS.values} values`, at)
  }

  /**
   * Counts the text of a value.
   * @param place names where it stands
   * @throws EngineError bad_input naming the place, when there is too much
   */
  spendText(text: string, place: () => string): void {
    this.#textBytes += Buffer.byteLength(text)
    const { textBytes } = FILTER_LIMITS
    if (this.#textBytes > textBytes) throw tooMany(`${textBytes} bytes of text of values`, place())
    if (isPattern(text)) this.#spendPattern(text, place())
  }

  /** @throws EngineError bad_input naming the place, when there are too many */
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
