import fc from 'fast-check'
import { CASE } from './made-algorithm.ts'
import { mutated, mutation } from './mutated-json.ts'

// Bodies that somebody may post in place of a case, and the expected results.

/** The maximum number of characters of a key or text, and of keys, in a case (ADR 0032). */
const LONGEST_TEXT = 10_000
const MAX_KEYS = 10_000

/** The limit on bodies in these tests, small enough for bodies that exceed it. */
export const BODY_BYTES = 1 << 16

/** Long texts; some exceed the limit of a text, some that of a body. */
const hugeText = fc
  .tuple(fc.constantFrom('x', 'é', '\u{1f41d}', '"', '\0'), fc.nat(80_000))
  .map(([character, bytes]) => character.repeat(bytes / Buffer.byteLength(character)))

const oddValue = fc.oneof(
  fc.string(),
  fc.constantFrom<unknown>(null, true, 5, -0.5, 1e308, [], {}, ['C000'], { a: { b: {} } }),
)

const nested = fc
  .tuple(fc.constantFrom('[', '{"a":'), fc.nat(300))
  .map(([open, levels]) => `${open.repeat(levels)}1${(open === '[' ? ']' : '}').repeat(levels)}`)

/** Texts that are a case, resemble one, or are something else. */
export const postedText: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc
      .array(mutation, { minLength: 1, maxLength: 4 })
      .map((mutations) => JSON.stringify(mutated({ ...CASE, odd: 'x' }, mutations))),
  },
  {
    weight: 6,
    arbitrary: fc
      .dictionary(fc.string(), fc.option(fc.string()), { maxKeys: 5 })
      .map((map) => JSON.stringify({ ...CASE, ...map })),
  },
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.constantFrom(...Object.keys(CASE), 'odd'), oddValue)
      .map(([key, value]) => JSON.stringify({ ...CASE, [key]: value })),
  },
  { weight: 2, arbitrary: fc.json({ maxDepth: 2 }) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  // The text of a case is cut off, or has one character too many.
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.nat(60), fc.string({ maxLength: 2 }))
      .map(([at, text]) => JSON.stringify(CASE).slice(0, at) + text),
  },
  { weight: 1, arbitrary: nested },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.boolean(), hugeText)
      .map(([isKey, text]) =>
        JSON.stringify({ ...CASE, [isKey ? text : 'odd']: text.slice(0, 9) }),
      ),
  },
)

/** Whether a text is a case: an object whose values are strings and nulls within the limits. */
export function isCase(text: string): boolean {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return false
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const members = Object.entries(value)
  const isShort = (member: unknown) => typeof member === 'string' && member.length <= LONGEST_TEXT
  return (
    members.length <= MAX_KEYS &&
    members.every(([key, member]) => isShort(key) && (member === null || isShort(member)))
  )
}

/** Content types that no operation accepts. */
const WRONG_TYPES = [
  ...['text/plain', 'application/xml', 'application/x-www-form-urlencoded', 'image/png', 'json'],
  ...['multipart/form-data; boundary=x', 'application/json; charset=latin1', 'application/jsonp'],
]

interface ContentType {
  readonly type: string
  readonly isRight: boolean
}

/** Content types, of which nine in ten are accepted: JSON, none, or one of the given types. */
export function contentTypes(others: readonly string[]): fc.Arbitrary<ContentType> {
  const right = ['application/json', 'Application/JSON;charset=UTF-8', '', ...others]
  return fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom(...right).map((type) => ({ type, isRight: true })) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(...WRONG_TYPES).map((type) => ({ type, isRight: false })),
    },
  )
}
