/** Tests whether a code is in a list such as `C420-C424 C690`. Ranges are inclusive. */
export type CodeSet = (code: string) => boolean

/** Creates a code set. Codes of the same length are compared as texts. */
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
