import type { NumberArray } from '../../shared/arrays/array-schema.ts'

/** Entries of a dictionary in their stored form. */
export interface PackedValues {
  readonly distinct: number
  readonly facts: Readonly<Record<string, unknown>>
  readonly arrays: Readonly<Record<string, NumberArray>>
  /** Final code of each temporary one: the 1-based position of its value. Entry 0 is 0. */
  readonly ranks: Uint32Array
}

/**
 * Values of one field, kept off the heap: strings in a Map would cost a hundred bytes each and slow down
 * garbage collection. Values get temporary codes from 1 in order of appearance. Equal values share a code as
 * long as searching for them pays off, and always share the final code.
 */
export interface ValueTable {
  /** Returns the entries of the dictionary. The table is empty afterwards. */
  pack(): PackedValues
}

/** Size from which a table checks whether searching for duplicates pays off. */
const LARGE = 1 << 16

/**
 * Returns whether nearly every value was new. A lookup in a large table costs more than everything else, and
 * sorting finds duplicates later.
 */
export function isMostlyNew(size: number, asked: number): boolean {
  return size >= LARGE && size > 0.9 * asked
}
