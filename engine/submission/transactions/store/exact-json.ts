import { wholeNumber } from '../submitted.ts'

/** Matches numbers with so many digits that a double may not represent them exactly. */
const LONG_NUMBER = /\d{16}/
const WHOLE = /^-?\d+$/

interface ExactJson {
  readonly rawJSON: (text: string) => object
  readonly parse: (
    text: string,
    revive: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ) => unknown
}

// Both functions exist since Node 21, but TypeScript does not declare them.
const exact = JSON as unknown as ExactJson

/** Serializes a JSON value. Bigints are written as numbers with all their digits. */
export function writeExactJson(value: unknown): string {
  // A replacer function is slow, and values with bigints are rare.

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

/** Parses the output of `writeExactJson`. */
export function readExactJson(text: string): unknown {
  if (!LONG_NUMBER.test(text)) return JSON.parse(text)
  return exact.parse(text, (_, value, { source = '' }) => {
    if (typeof value !== 'number' || !WHOLE.test(source)) return value
    return wholeNumber(source) ?? value
  })
}
