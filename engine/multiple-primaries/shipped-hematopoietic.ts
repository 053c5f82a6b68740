import type { HematopoieticData } from './hematopoietic-data.ts'

/** The tables that come with the program. */
export function shippedHematopoietic(): HematopoieticData {
  throw new Error('not written')
}
