import { daysInMonth } from '../multiple-primaries/day-number.ts'
import type { AllowedCode } from '../naaccr/model.ts'
import type { ItemDefinition } from '../naaccr-xml/dictionary.ts'
import type { ItemFaultCode } from '../naaccr-xml/model.ts'
import { isInRange } from '../rules/code-range.ts'

// Edits of single items: problems that the reader of a file reports, invalid codes, and invalid dates.

/** A reported edit: its number, name and remedy. */
export interface EditDescription {
  readonly number: string
  readonly name: string
  readonly message: string
}

const editOf = (number: string, name: string, message: string): EditDescription =>
  Object.freeze({ number, name, message })

/** Edits for the faults that the reader of a file finds, keyed by the fault's code. */
export const FAULT_EDITS: Readonly<Record<ItemFaultCode, EditDescription>> = Object.freeze({
  unreadable: editOf(
    'S0005',
    'The value can be read',
    'The value has bytes that are not UTF-8, control characters, or U+FFFD in their place. Convert the original, or write the value again.',
  ),
  too_long: editOf(
    'S0010',
    'The value fits its item',
    'The value is longer than its item. Cut it.',
  ),
  too_short: editOf(
    'S0020',
    'The value fills its item',
    'The value is shorter than its item, whose values are padded. Write all characters.',
  ),
  wrong_type: editOf(
    'S0030',
    'The value has the type of its item',
    'The value has characters that its item does not have, or is no date. Correct it.',
  ),
  unknown_item: editOf(
    'S0040',
    'The item is in the dictionary',
    'No dictionary of the file has the item for files of this type. Name its dictionary, or leave it out.',
  ),
  wrong_number: editOf(
    'S0050',
    'The number belongs to the item',
    'The number belongs to another item. Correct it.',
  ),
  wrong_level: editOf(
    'S0060',
    'The item is at its level',
    'The item belongs to another level. Move it.',
  ),
  wrong_order: editOf('S0070', 'Items come first', 'Items come first. Move it.'),
  doubled_item: editOf('S0080', 'The item is there once', 'The item is there twice. Remove one.'),
  wrong_attribute: editOf(
    'S0090',
    'The item has its attributes',
    'Give naaccrId, and no other attribute.',
  ),
  wrong_length: editOf(
    'S0100',
    'The line has its length',
    'The line has another length. Write it again.',
  ),
})

export const CODE_EDIT = editOf(
  'S0110',
  'The code is valid for its item',
  'The documentation of the item does not have the code. Correct it.',
)

export const DATE_EDIT = editOf(
  'S0120',
  'The date exists',
  'The calendar does not have the day. Correct it, or leave the day out.',
)

/** Codes and ranges of an item, as `00 01-88`. */
export type CodeList = string

const CODE = /^[A-Z\d]+$/
const RANGE = /^([A-Z\d]+)-([A-Z\d]+)$/

/**
 * Returns the codes that an item may have, if its documentation lists only codes and ranges of the item's
 * length. Returns undefined if the list also describes codes in words.
 */
export function codeListOf(
  { length, isUnlimited, dataType }: ItemDefinition,
  codes: readonly AllowedCode[],
): CodeList | undefined {
  if (isUnlimited || dataType === 'date' || dataType === 'dateTime' || codes.length === 0)
    return undefined
  const words = codes.map(({ code }) => code.trim()).filter((code) => !/^(?:|blank)$/i.test(code))
  const isListed = words.every((word) => {
    const [, first, last] = RANGE.exec(word) ?? []
    if (first === undefined || last === undefined) return CODE.test(word) && word.length === length
    return first.length === length && last.length === length && first <= last
  })
  return isListed && words.length > 0 ? words.join(' ') : undefined
}

/** Returns a function for whether a list has a value. */
export function makeCodeTest(list: CodeList): (value: string) => boolean {
  const words = list.split(' ')
  const codes = new Set(words.filter((word) => !word.includes('-')))
  const ranges = words
    .filter((word) => word.includes('-'))
    .map((word) => word.split('-') as [string, string])
  return (value) => codes.has(value) || ranges.some((range) => isInRange(value, range))
}

const WHOLE_DATE = /^(\d{4})(\d{2})(\d{2})$/

/** Returns whether a value has the form of a date but is not a day of the calendar, such as 20240230. */
export function isNoDay(value: string): boolean {
  const [, year, month, day] = (WHOLE_DATE.exec(value) ?? []).map(Number)
  if (year === undefined || month === undefined || day === undefined) return false
  const isForm = month >= 1 && month <= 12 && day >= 1 && day <= 31
  return isForm && day > daysInMonth(year, month)
}
