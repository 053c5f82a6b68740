import type { ByteSink } from './byte-sink.ts'
import type { Scalar } from './flatten.ts'

/** Table format: cells separated by tabs, or by commas with quotes as in RFC 4180 (data-commons.md 11.37). */
export type TableForm = 'tsv' | 'csv'

export const SEPARATORS: Readonly<Record<TableForm, number>> = Object.freeze({
  tsv: 0x09,
  csv: 0x2c,
})
const LF = 0x0a
const BREAKS = /[\t\r\n]/
const ALL_BREAKS = /[\t\r\n]/g

/**
 * Formats a cell (data-commons.md 3.5): null is empty, booleans are `True` and `False`; tab, CR and LF become
 * spaces. Integers in a decimal column keep a decimal point: `839.0`.
 */
export function cellOf(value: Scalar, decimal: boolean): string {
  switch (typeof value) {
    case 'string':
      return BREAKS.test(value) ? value.replace(ALL_BREAKS, ' ') : value
    case 'number':
      return decimal ? decimalOf(value) : String(value)
    case 'boolean':
      return value ? 'True' : 'False'
    default:
      return ''
  }
}

function decimalOf(value: number): string {
  const text = String(value)
  // A number in exponent notation needs no decimal point to show that it is no integer.
  return Number.isInteger(value) && !text.includes('e') ? `${text}.0` : text
}

/** Orders table columns: first `first`, if it exists, the others ascending (data-commons.md 3.5). */
export function orderColumns(keys: Iterable<string>, first: string | undefined): string[] {
  const sorted = [...keys].sort()
  const place = first === undefined ? -1 : sorted.indexOf(first)
  if (place > 0) sorted.unshift(...sorted.splice(place, 1))
  return sorted
}

/** Quotes a CSV cell if needed. */
export const csvCell = (cell: string): string =>
  /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell

/** Writes one line. An empty text and `undefined` give an empty cell. */
export function writeLine(
  sink: ByteSink,
  cells: readonly (string | undefined)[],
  form: TableForm = 'tsv',
): void {
  const separator = SEPARATORS[form]
  for (let i = 0; i < cells.length; i++) {
    if (i > 0) sink.byte(separator)
    const cell = cells[i]
    if (cell) sink.text(form === 'csv' ? csvCell(cell) : cell)
  }
  sink.byte(LF)
}
