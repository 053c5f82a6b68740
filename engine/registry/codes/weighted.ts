import type { IndexedRecord } from '../full-text/record.ts'

/** Returns the defined texts with one weight for the index. */
export function weighted(
  weight: number,
  ...texts: readonly (string | undefined)[]
): IndexedRecord['texts'] {
  return texts.flatMap((text) => (text === undefined ? [] : { text, weight }))
}
