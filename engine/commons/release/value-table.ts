import type { NumberArray } from '../../shared/arrays/array-schema.ts'

/** Entries of a dictionary in their stored form. */
export interface PackedValues {
  readonly distinct: number
  readonly facts: Readonly<Record<string, unknown>>
  readonly arrays: Readonly<Record<string, NumberArray>>
  /** For each temporary code, the final code, which is the 1-based position of the value. Entry 0 is 0. */
  readonly ranks: Uint32Array
}

/**
 * Values of one field, kept outside the heap: strings in a Map would take a hundred bytes each and slow down
 * garbage collection. Values get temporary codes from 1 in the order in which they appear. Equal values share a
 * temporary code as long as searching for them pays off. They always share the final code.
 */
export interface ValueTable {
  /** Returns the entries of the dictionary. The table is empty afterwards. */
  pack(): PackedValues
}

/** Size from which a table checks whether searching for duplicates pays off. */
const LARGE = 1 << 16

/**
 * Returns whether nearly every value was new. If so, a lookup in a large table costs more than all other work,
 * and the sort will find duplicates later.
 */
export function isMostlyNew(size: number, asked: number): boolean {
  return size >= LARGE && size > 0.9 * asked
}
