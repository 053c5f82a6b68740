import type { NumberArray } from '../../shared/arrays/array-schema.ts'

/** The entries of a dictionary as they are written. */
export interface PackedValues {
  readonly distinct: number
  readonly facts: Readonly<Record<string, unknown>>
  readonly arrays: Readonly<Record<string, NumberArray>>
  /** By temporary code: the place of the value in ascending order, from 1; 0 stays 0. */
  readonly ranks: Uint32Array
}

/**
 * The values of one field, off the heap: strings in a Map would cost a hundred bytes each and be
 * looked at by every collection. Values get temporary codes 1, 2, … as they appear; equal ones get
 * the same code as long as it pays to look for them, and the same rank in any case.
 */
export interface ValueTable {
  /** The entries of the dictionary; the table is empty afterwards. */
  pack(): PackedValues
}

/** Tables of this size and more are asked whether it pays to look for equal values. */
const LARGE = 1 << 16

/**
 * Whether nearly every value was new. A look into a large table costs more than all else that is
 * done with a value, and sorting finds equal ones later.
 */
export function isMostlyNew(size: number, asked: number): boolean {
  return size >= LARGE && size > 0.9 * asked
}
