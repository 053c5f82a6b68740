/** Tests whether a code is in a list such as `C420-C424 C690`. Ranges are inclusive. */
export type CodeSet = (code: string) => boolean

/**
 * Creates a code set. Codes are compared as texts, so the ends of a range may differ in length: `D48-D489` has D48
 * and D480 to D489.
 */
export function codeSet(list: string): CodeSet {
  const ranges = list
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((word) => {
      const [low = '', high = low] = word.split('-')
      return [low, high] as const
    })
  return (code) => ranges.some(([low, high]) => low <= code && code <= high)
}
