import { DAYS_PER_YEAR, fieldName, inYears, isInDays } from '../cohort/words.ts'
import { sizeText } from '../parts/size.ts'

/** Values of one cell that are shown. The others are counted. */
const SHOWN = 3

/** Returns the values of a field of a record. Groups can be arrays, so there may be several. */
export function valuesAt(record: unknown, field: string): readonly (string | number | boolean)[] {
  return valuesIn(record, field.split('.'))
}

function valuesIn(
  value: unknown,
  [name, ...rest]: readonly string[],
): readonly (string | number | boolean)[] {
  if (Array.isArray(value)) {
    const path = name === undefined ? [] : [name, ...rest]
    return value.flatMap((one) => valuesIn(one, path))
  }
  if (value === null || value === undefined) return []
  if (name === undefined) return isScalar(value) ? [value] : []
  return typeof value === 'object' ? valuesIn(Reflect.get(value, name), rest) : []
}

const isScalar = (value: unknown) =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'

/** Returns the title of a column. `others` are the fields of the other columns, from which it has to differ. */
export function titleOf(field: string, others: readonly string[]): string {
  const name = fieldName(field)
  const isAlone = others.every((other) => other === field || fieldName(other) !== name)
  const path = field.split('.').slice(0, -1).join(' ').replaceAll('_', ' ')
  const title = isAlone || path === '' ? name : `${name} (${path})`
  return inYears(field) ? `${title}, years` : title
}

/** Formats the values of a cell. Equal values are shown once. */
export function cellOf(record: unknown, field: string): string | number | undefined {
  const values = [...new Set(valuesAt(record, field))]
  const [only] = values
  if (values.length <= 1)
    return typeof only === 'number' ? numberOf(field, only) : textOf(field, only)
  const shown = values.slice(0, SHOWN).map((value) => textOf(field, value))
  return `${shown.join('; ')}${values.length > SHOWN ? ` and ${values.length - SHOWN} more` : ''}`
}

/** Ages are shown in completed years, all other numbers as they are. */
const numberOf = (field: string, value: number) =>
  inYears(field) && isInDays(field) ? Math.floor(value / DAYS_PER_YEAR) : value

function textOf(field: string, value: string | number | boolean | undefined): string | undefined {
  if (value === undefined) return undefined
  if (typeof value !== 'number') return String(value)
  return shownNumber(field, numberOf(field, value))
}

/** Formats a number of a field: sizes with their unit, calendar years without a comma. */
export function shownNumber(field: string, value: number): string {
  if (/(^|\.)file_size$/.test(field)) return sizeText(value)
  if (/(^|[._])year(_|$)/.test(field)) return String(value)
  return value.toLocaleString('en', { maximumSignificantDigits: 12 })
}
