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
  return JSON.stringify(value, (_, one) =>
    typeof one === 'bigint' ? exact.rawJSON(String(one)) : one,
  )
}

/** What `writeExactJson` wrote. */
export function readExactJson(text: string): unknown {
  if (!LONG_NUMBER.test(text)) return JSON.parse(text)
  return exact.parse(text, (_, value, { source = '' }) => {
    if (typeof value !== 'number' || !WHOLE.test(source)) return value
    return wholeNumber(source) ?? value
  })
}
