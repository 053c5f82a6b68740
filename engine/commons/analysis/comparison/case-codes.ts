import type { FieldPath } from '../../datasets/field-path.ts'
import type { Column, ReleaseArrays } from '../../release/loaded.ts'
import { spelledText } from '../../release/spelling.ts'
import { eachCode } from '../case-values.ts'

/** Code of a case that has several different values, which no test can place. */
export const SEVERAL = -1

/** The one value of a field that each case has. */
export interface CaseCodes {
  /** For each case in the order of the given rows: the code of its value, 0 for none, or SEVERAL. */
  readonly codes: Int32Array
  readonly kind: 'text' | 'number'
  /** Returns the value of a code as text in its original spelling. */
  text(code: number): string
  /** Returns the value of a code as a number. */
  number(code: number): number
}

/** Reads a field of some cases. Returns undefined if no case has it. */
export function caseCodes(
  field: FieldPath,
  rows: Uint32Array,
  arrays: ReleaseArrays,
): CaseCodes | undefined {
  const codes = new Int32Array(rows.length)
  let column: Column | undefined
  eachCode(field, rows, arrays, (place, code, found) => {
    column = found
    if (code === 0) return
    const known = codes[place]!
    codes[place] = known === 0 || known === code ? code : SEVERAL
  })
  const found = column
  if (!found) return undefined
  return {
    codes,
    kind: found.dictionary.kind,
    text: (code) => spelledText(found, code),
    number: (code) => found.dictionary.number(code),
  }
}
