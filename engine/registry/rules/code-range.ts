/** The first and last code of a range, both of which belong to it. */
export type CodeRange = readonly [first: string, last: string]

/** Returns whether a value is as long as the codes of a range and lies between them. */
export const isInRange = (value: string, [first, last]: CodeRange): boolean =>
  value.length === first.length && first <= value && value <= last
