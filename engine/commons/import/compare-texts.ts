/** Compares two texts by UTF-16 code units. Undefined sorts last. */
export function compareTexts(one: string | undefined, other: string | undefined): number {
  if (one === other) return 0
  if (one === undefined || other === undefined) return one === undefined ? 1 : -1
  return one < other ? -1 : 1
}
