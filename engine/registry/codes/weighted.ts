import type { IndexedRecord } from '../full-text/record.ts'

/** Texts of one weight for the index, those that are there. */
export function weighted(
  weight: number,
  ...texts: readonly (string | undefined)[]
): IndexedRecord['texts'] {
  return texts.flatMap((text) => (text === undefined ? [] : { text, weight }))
}
