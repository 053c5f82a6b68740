import { NOTHING, SPREADSHEET_ERRORS, WRITTEN_NOTHING } from './nothing.ts'
import { visible } from './visible.ts'

const MONTH = '(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)'
const DAY_OF_MONTH = new RegExp(`^(\\d{1,2}-${MONTH}(-\\d{2,4})?|${MONTH}-\\d{2})$`, 'i')
const LONGEST_DATE = '31-Dec-2026'.length

/** Returns whether a text is a date that a spreadsheet has made from a text such as `8/3` or `1-2`. */
export const isSpreadsheetDate = (text: string): boolean =>
  text.length <= LONGEST_DATE && text.indexOf('-') > 0 && DAY_OF_MONTH.test(text)

/** Matches numbers that programs make from names consisting of digits, or of digits and an E. */
const NUMBER_OF_NAME = /^\d+(\.0+|(\.\d+)?e\+?\d+)$/i

/** Returns whether a text is a decimal number that a program has made from a name such as `123` or `12E4`. */
export const isNumberOfName = (text: string): boolean => NUMBER_OF_NAME.test(text)

/**
 * Matches U+FFFD, which an earlier program wrote for bytes it could not read, and UTF-8 that was read as Latin-1
 * or Windows-1252.
 */
const MISREAD =
  /\ufffd|[\u00c2\u00c3][\u0080-\u00bf\u2018-\u201e\u2020-\u2022\u2026\u2030\u20ac\u2122]|\u00e2\u20ac/

/** Returns whether another program has read the letters of a text in the wrong encoding. */
export const isMisread = (text: string): boolean => MISREAD.test(text)

/** Matches a list in the notation of Python, R, DuckDB or JSON: `['a', 'b']`, `c("a", "b")`, `[a, b]`. */
const LIST = /^(?:\[.*(?:,|['"].*['"]).*\]|c\(.*\)|list\(.*\)|\{.*,.*\})$/s

/** Returns whether a text is a list that another program has written into a cell. */
export const isWrittenList = (text: string): boolean => LIST.test(text)

/** Matches a text inside a formula or after an apostrophe, with which spreadsheets mark texts. */
const MARKED = /^="[^"]*"$|^'[^'\s][^']*$/

/** Returns the reason for a warning about an accepted text, such as `is an error of a spreadsheet`, or undefined. */
export function doubtOf(text: string): string | undefined {
  if (text !== '' && (NOTHING.has(text) || WRITTEN_NOTHING.has(text))) {
    return 'means no value in most tables; leave it out if there is none'
  }
  if (SPREADSHEET_ERRORS.has(text)) return 'is an error of a spreadsheet'
  if (MARKED.test(text)) return 'has the marks by which spreadsheets keep texts'
  if (isWrittenList(text)) return 'is a list as another program writes it, and is taken as one text'
  if (isSpreadsheetDate(text)) return 'is a date that a spreadsheet may have made of another text'
  if (/[\t\n\r]/.test(text))
    return 'has a tab or line break; if it is several cells, close the quote before them'
  if (visible(text) !== text) return 'has invisible characters'
  return isMisread(text) ? 'has letters that were read in a wrong encoding' : undefined
}
