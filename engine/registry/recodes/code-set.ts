/** Whether a code is in a list such as `C420-C424 C690`, in which both ends of a range count. */
export type CodeSet = (code: string) => boolean

/** Codes of one length compare as texts. */
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
