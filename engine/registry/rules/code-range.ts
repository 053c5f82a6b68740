/** The first and last code of a range, both inclusive. */
export type CodeRange = readonly [first: string, last: string]

/** Returns whether a value has the length of the codes of a range and is between them. */
export const isInRange = (value: string, [first, last]: CodeRange): boolean =>
  value.length === first.length && first <= value && value <= last
