import { z } from '@hono/zod-openapi'
import { EngineError } from '../../engine/shared/index.ts'
import { MAX_PARAMETER_VALUES } from '../../engine/shared/internal.ts'
import { parseJsonText } from '../http/json-text.ts'

/** Description of a parameter for the API document, in terms of OpenAPI. */
interface Shape {
  readonly description: string
  readonly example?: string
  readonly default?: string | number | boolean
}

/**
 * Defines a parameter of the query string and of bodies. It is parsed by a function instead of a schema, because
 * real clients send each parameter in half a dozen forms (data-commons.md 2.1, 9.13). All endpoints share its
 * description.
 */
function parameter<Value>(
  name: string,
  read: (given: unknown, name: string) => Value,
  shape: Shape & Readonly<Record<string, unknown>>,
  component = name,
) {
  return (
    z
      .unknown()
      // Nulls were removed from bodies before (server/http/body.ts), and the API document must not show any.
      .refine((given) => given !== null)
      .optional()
      .transform((given) => read(isBlank(given) ? undefined : given, name))
      .openapi(component, { ...shape, param: { name, in: 'query' } })
  )
}

/**
 * Returns whether a value is empty. Some clients send all parameters they know, so an empty one counts as
 * missing (data-commons.md 9 rule 13).
 */
function isBlank(given: unknown): boolean {
  if (typeof given === 'string') return given.length < 100 && given.trim() === ''
  if (typeof given !== 'object') return false
  if (given === null) return true
  // R's jsonlite writes a missing value as `{}`.
  return Array.isArray(given) ? given.length === 0 : Object.keys(given).length === 0
}

function refused(name: string, wanted: string, given: unknown): EngineError {
  const isRepeated = Array.isArray(given) && given.length > 1
  const what = isRepeated
    ? `is given ${given.length} times; give it once, as`
    : 'is not accepted; use'
  return new EngineError('bad_input', `parameter ${name} ${what} ${wanted}`, { at: name })
}

/** Maximum number of names, checked before the text is split. Endpoints have at most a thousand fields. */
const MAX_NAMES = 10_000
/** Maximum length of one name, and of all names together. Unknown names are repeated in a warning. */
const MAX_NAME_LENGTH = 1000
const MAX_NAMES_LENGTH = 256 << 10

/** Defines a list of names: a comma-separated text, a repeated parameter or an array of either. */
export function names(name: string, shape: Shape, component = name) {
  const anyOf = [{ type: 'string' }, { type: 'array', items: { type: 'string' } }]
  return parameter(name, readNames, { anyOf, ...shape }, component)
}

function readNames(given: unknown, name: string): readonly string[] {
  if (given === undefined) return []
  const wanted = 'names with commas between them, or an array of names'
  const texts: readonly unknown[] = Array.isArray(given) ? given : [given]
  const found: string[] = []
  let places = 0
  let characters = 0
  for (const text of texts) {
    if (typeof text !== 'string') throw refused(name, wanted, text)
    characters += text.length
    if (characters > MAX_NAMES_LENGTH) {
      throw beyond(name, `more characters than the limit of ${MAX_NAMES_LENGTH}`)
    }
    const parts = text.split(',', MAX_NAMES + 1).map((part) => part.trim())
    places += parts.length
    if (places > MAX_NAMES) throw beyond(name, `more names than the limit of ${MAX_NAMES}`)
    for (const part of parts) {
      if (part.length > MAX_NAME_LENGTH) {
        throw beyond(name, `a name of more characters than the limit of ${MAX_NAME_LENGTH}`)
      }
      if (part !== '') found.push(part)
    }
  }
  return found
}

function beyond(name: string, what: string): EngineError {
  return new EngineError('too_many', `parameter ${name} has ${what}`, { at: name })
}

/**
 * Defines a whole number. A text is accepted, also in the form in which R writes large numbers: `1e+05`, whose
 * plus becomes a space in a URL.
 */
export function count(name: string, byDefault: number, shape: Shape, component = name) {
  const read = (given: unknown) => (given === undefined ? byDefault : readCount(given, name))
  const form = { type: 'integer', minimum: 0, default: byDefault, ...shape }
  return parameter(name, read, form, component)
}

const COUNT = /^\+?\d{1,20}(\.0{0,20})?([eE][+ ]?\d{1,2})?$/

function readCount(given: unknown, name: string): number {
  const only = Array.isArray(given) && given.length === 1 ? given[0] : given
  const text = typeof only === 'string' ? only.trim() : String(only)
  const isScalar = typeof only === 'string' || typeof only === 'number'
  const number = isScalar && COUNT.test(text) ? Number(text.replace(' ', '+')) : Number.NaN
  if (Number.isSafeInteger(number)) return number
  throw refused(name, 'a whole number from 0, such as 10 or 1e5', given)
}

export function flag(name: string, shape: Shape) {
  return parameter(name, readFlag, { type: 'boolean', default: false, ...shape })
}

function readFlag(given: unknown, name: string): boolean {
  if (given === undefined) return false
  const text = typeof given === 'string' || typeof given === 'boolean' ? String(given) : ''
  const word = text.length > 20 ? '' : text.trim().toLowerCase()
  if (word === 'true' || word === 'false') return word === 'true'
  throw refused(name, 'true or false', given)
}

/** Defines a parameter that accepts the listed words, in any letter case. Undefined if it is missing. */
export function word<Word extends string>(
  name: string,
  words: readonly Word[],
  shape: Shape,
  component = name,
) {
  const read = (given: unknown) => (given === undefined ? undefined : readWord(given, name, words))
  return parameter(name, read, { type: 'string', enum: [...words], ...shape }, component)
}

function readWord<Word extends string>(given: unknown, name: string, words: readonly Word[]): Word {
  const text = typeof given === 'string' && given.length < 100 ? given.trim().toLowerCase() : ''
  const found = words.find((word) => word === text)
  if (found !== undefined) return found
  const wanted = words.length === 1 ? `${words[0]}` : `one of ${words.join(', ')}`
  throw refused(name, wanted, given)
}

export function text(name: string, shape: Shape, most = MAX_CHARACTERS) {
  const read = (given: unknown, at: string) => readText(given, at, most)
  return parameter(name, read, { type: 'string', ...shape })
}

const MAX_CHARACTERS = 1000

function readText(given: unknown, name: string, most: number): string | undefined {
  if (given === undefined) return undefined
  const only = typeof given === 'number' ? String(given) : given
  if (typeof only === 'string' && only.length <= most) return only
  throw refused(name, `one text of at most ${most} characters`, given)
}

/** Defines a filter: an object or its JSON text (data-commons.md 2.1). The engine validates its content. */
export function filter(name: string, shape: Shape) {
  return parameter(name, readOneFilter, {
    anyOf: [{ type: 'object' }, { type: 'string', contentMediaType: 'application/json' }],
    ...shape,
  })
}

/** Defines several filters: an array, a single filter, or the JSON text of either. */
export function filterList(name: string, shape: Shape, component = `${name}_list`) {
  const one = [{ type: 'object' }, { type: 'string', contentMediaType: 'application/json' }]
  const anyOf = [{ type: 'array', items: { anyOf: one } }, ...one]
  return parameter(name, readFilter, { anyOf, ...shape }, component)
}

/** Rejects a repeated parameter, because it is unclear which of the values is meant. */
function readOneFilter(given: unknown, name: string): unknown {
  const isRepeated = Array.isArray(given) && given.length > 1
  if (isRepeated && given.every((text) => typeof text === 'string')) {
    throw refused(name, 'one filter that joins them by and', given)
  }
  return readFilter(given, name)
}

function readFilter(given: unknown, name: string): unknown {
  if (typeof given !== 'string') return given
  const value = parseJsonText(unescaped(given), name, MAX_PARAMETER_VALUES)
  return isBlank(value) ? undefined : value
}

/** Decodes text that was percent-encoded twice, and therefore still starts with an encoded bracket or quote. */
function unescaped(text: string): string {
  if (!/^%(7B|5B|22)/i.test(text)) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
