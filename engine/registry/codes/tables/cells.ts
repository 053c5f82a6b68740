import { isDay } from '../../../shared/input/day.ts'
import { wholeDigits } from '../../../shared/input/decimal.ts'
import { NOTHING } from '../../../shared/input/nothing.ts'
import { RowError } from './row-error.ts'

// Parsers for the cells of published tables. Empty cells and placeholder words have no value.

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/

/**
 * Reads a text.
 * @throws RowError if the cell contains control characters
 */
export function textIn(cell: string, column: string): string | undefined {
  const text = cell.trim()
  if (CONTROL.test(text)) throw new RowError('the cell contains a control character', column)
  return NOTHING.has(text) ? undefined : text
}

/** Matches a semicolon outside parentheses. */
const SEMICOLON = /;(?![^(]*\))/

/** Reads the non-empty parts separated by semicolons. */
export function listIn(cell: string, column: string): string[] | undefined {
  return split(textIn(cell, column), SEMICOLON)
}

/** Reads all parts separated by semicolons, keeping positions; an empty part is undefined. */
export function placesIn(cell: string, column: string): (string | undefined)[] {
  const parts = textIn(cell, column)?.split(SEMICOLON) ?? []
  return parts.map((part) => part.trim() || undefined)
}

/** Reads names that each end with their kind in brackets. Names may contain commas. */
export function classesIn(cell: string, column: string): string[] | undefined {
  return split(textIn(cell, column), /(?<=\]\s*),/)
}

function split(text: string | undefined, separator: RegExp): string[] | undefined {
  const parts = text?.split(separator).map((part) => part.trim())
  const filled = parts?.filter((part) => part !== '')
  return filled && filled.length > 0 ? filled : undefined
}

/**
 * Reads a YYYYMMDD day.
 * @throws RowError for another form or a day that does not exist
 */
export function dayIn(cell: string, column: string): string | undefined {
  const text = textIn(cell, column)
  if (text === undefined) return undefined
  // Some programs convert such columns to numbers and write 20190501.0.
  const digits = wholeDigits(text) ?? ''
  const [, year, month, day] = /^(\d{4})(\d{2})(\d{2})$/.exec(digits) ?? []
  if (isDay(`${year}-${month}-${day}`)) return digits
  throw new RowError(`"${shown(text)}" is no day; give YYYYMMDD`, column)
}

/**
 * Reads a cell that must match a pattern.
 * @throws RowError if it does not
 */
export function matching(cell: string, column: string, form: RegExp, wanted: string): string {
  const text = cell.trim()
  if (form.test(text)) return text
  throw new RowError(`"${shown(text)}" is not ${wanted}`, column)
}

/**
 * Reads a non-negative whole number.
 * @throws RowError for anything else
 */
export function wholeIn(cell: string, column: string, wanted: string): number {
  const digits = wholeDigits(cell.trim()) ?? ''
  if (/^\d{1,9}$/.test(digits)) return Number(digits)
  throw new RowError(`"${shown(cell.trim())}" is not ${wanted}`, column)
}

const SHOWN_CHARACTERS = 60

/** Shortens a cell for an error message. */
function shown(text: string): string {
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}...` : text
}
