import { readJson } from '../read-json.ts'

/** Digits that a double may not hold exactly. */
const LONG_NUMBER = /\d{16}/

/** Of the language since Node 21, which its types do not know yet. */
const { rawJSON } = JSON as unknown as { readonly rawJSON: (text: string) => object }

/** JSON in which whole numbers beyond a double keep all their digits. */
export function writeExactJson(value: unknown): string {
  return JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? rawJSON(String(one)) : one))
}

/** What `writeExactJson` wrote. */
export function readExactJson(text: string): unknown {
  return LONG_NUMBER.test(text) ? readJson(text) : JSON.parse(text)
}
