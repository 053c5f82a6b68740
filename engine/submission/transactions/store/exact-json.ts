import { wholeNumber } from '../submitted.ts'

/** Digits that a double may not hold exactly. */
const LONG_NUMBER = /\d{16}/
const WHOLE = /^-?\d+$/

interface ExactJson {
  readonly rawJSON: (text: string) => object
  readonly parse: (
    text: string,
    revive: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ) => unknown
}

// Both are of the language since Node 21, which its types do not know yet.
const exact = JSON as unknown as ExactJson

/** JSON in which whole numbers beyond a double have all their digits. */
export function writeExactJson(value: unknown): string {
  // A function that is called for each value takes most of the time, and there are few such numbers.
  if (!hasLongNumber(value)) return JSON.stringify(value)
  return JSON.stringify(value, (_, one) =>
    typeof one === 'bigint' ? exact.rawJSON(String(one)) : one,
  )
}

function hasLongNumber(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return typeof value === 'bigint'
  for (const key of Object.keys(value)) {
    if (hasLongNumber(value[key as keyof typeof value])) return true
  }
  return false
}

/** What `writeExactJson` wrote. */
export function readExactJson(text: string): unknown {
  if (!LONG_NUMBER.test(text)) return JSON.parse(text)
  return exact.parse(text, (_, value, { source = '' }) => {
    if (typeof value !== 'number' || !WHOLE.test(source)) return value
    return wholeNumber(source) ?? value
  })
}
