import type { Cell } from './model.ts'
import { isNumeric, referencedKey, trimmed } from './values.ts'

/** Bounds as written in the cell. They are equal for a single value. */
export interface CellRange {
  readonly low: string
  readonly high: string
}

/** Rules 4 and 5 of registry.md: parses the values that an INPUT cell accepts. 'any' accepts everything. */
export function parseCell(cell: Cell | undefined): readonly CellRange[] | 'any' {
  if (cell === null || cell === undefined || cell === '*') return 'any'
  return cell.split(',').map(parsePart)
}

function parsePart(part: string): CellRange {
  // Like the reference implementation, this reads `5-9-` as the range 5-9, and `p0I-` as the single value `p0I-`.
  const bounds = part.split('-')
  while (bounds.length > 0 && bounds.at(-1) === '') bounds.pop()
  if (bounds.length === 2) {
    const low = trimmed(bounds[0] ?? '')
    const high = trimmed(bounds[1] ?? '')
    if (isRange(low, high)) return { low, high }
  }
  const single = trimmed(part)
  return { low: single, high: single }
}

function isRange(low: string, high: string): boolean {
  if (low.length === high.length) return true
  if (isNumeric(low) && isNumeric(high)) return true
  return referencedKey(low) !== undefined || referencedKey(high) !== undefined
}

/** A range whose bounds contain no `{{key}}` any more, prepared for comparisons. */
export interface BoundRange extends CellRange {
  readonly isNumeric: boolean
  /** Whether both bounds are numbers without a decimal point. Values with a decimal point are then outside. */
  readonly isWhole: boolean
  readonly lowNumber: number
  readonly highNumber: number
}

/** Prepares a range of a table cell for comparisons. The range is numeric if both bounds are numbers. */
export function boundRange(low: string, high: string): BoundRange {
  const numeric = low !== high && isNumeric(low) && isNumeric(high)
  return {
    low,
    high,
    isNumeric: numeric,
    isWhole: numeric && !low.includes('.') && !high.includes('.'),
    // The reference implementation compares 32-bit floats.
    lowNumber: numeric ? Math.fround(Number(low)) : 0,
    highNumber: numeric ? Math.fround(Number(high)) : 0,
  }
}

/** Tests whether a range contains a value, by rules 7 and 8 of registry.md. A missing value is ''. */
export function contains(range: BoundRange, value: string): boolean {
  const { low, high } = range
  if (!range.isNumeric) {
    const { length } = value
    return length === low.length && length === high.length && low <= value && value <= high
  }
  if (!isNumeric(value) || (range.isWhole && value.includes('.'))) return false
  const number = Math.fround(Number(value))
  return range.lowNumber <= number && number <= range.highNumber
}
