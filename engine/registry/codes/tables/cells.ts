import { isDay } from '../../../shared/input/day.ts'
import { wholeDigits } from '../../../shared/input/decimal.ts'
import { NOTHING } from '../../../shared/input/nothing.ts'
import { RowError } from './row-error.ts'

// Cells of published tables. An empty cell has no value, and neither has one with a word for nothing.

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/

/** @throws RowError for characters that no text has */
export function textIn(cell: string, column: string): string | undefined {
  const text = cell.trim()
  if (CONTROL.test(text)) throw new RowError('the cell holds a control character', column)
  return NOTHING.has(text) ? undefined : text
}

/** A semicolon that stands in no parentheses. */
const SEMICOLON = /;(?![^(]*\))/

/** Parts between semicolons, those that are not empty. */
export function listIn(cell: string, column: string): string[] | undefined {
  return split(textIn(cell, column), SEMICOLON)
}

/** Parts between semicolons, each at its place; an empty one is undefined. */
export function placesIn(cell: string, column: string): (string | undefined)[] {
  const parts = textIn(cell, column)?.split(SEMICOLON) ?? []
  return parts.map((part) => part.trim() || undefined)
}

/** Names that each end with their kind in brackets; names may hold commas. */
export function classesIn(cell: string, column: string): string[] | undefined {
  return split(textIn(cell, column), /(?<=\]\s*),/)
}

function split(text: string | undefined, separator: RegExp): string[] | undefined {
  const parts = text?.split(separator).map((part) => part.trim())
  const filled = parts?.filter((part) => part !== '')
  return filled && filled.length > 0 ? filled : undefined
}

/**
 * A day, YYYYMMDD.
 * @throws RowError for another form, or a day that no calendar has
 */
export function dayIn(cell: string, column: string): string | undefined {
  const text = textIn(cell, column)
  if (text === undefined) return undefined
  // Programs that take it for a number write 20190501.0 where other cells are empty.
  const digits = wholeDigits(text) ?? ''
  const [, year, month, day] = /^(\d{4})(\d{2})(\d{2})$/.exec(digits) ?? []
  if (isDay(`${year}-${month}-${day}`)) return digits
  throw new RowError(`"${shown(text)}" is no day; give YYYYMMDD`, column)
}

/**
 * A cell that must have a form.
 * @throws RowError
 */
export function matching(cell: string, column: string, form: RegExp, wanted: string): string {
  const text = cell.trim()
  if (form.test(text)) return text
  throw new RowError(`"${shown(text)}" is not ${wanted}`, column)
}

/**
 * A whole number that is not negative, in digits.
 * @throws RowError
 */
export function wholeIn(cell: string, column: string, wanted: string): number {
  const digits = wholeDigits(cell.trim()) ?? ''
  if (/^\d{1,9}$/.test(digits)) return Number(digits)
  throw new RowError(`"${shown(cell.trim())}" is not ${wanted}`, column)
}

const SHOWN_CHARACTERS = 60

/** A cell for a message. */
function shown(text: string): string {
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}...` : text
}
