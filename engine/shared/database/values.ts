import { EngineError } from '../errors.ts'

/** A value that both dialects store and return in the same way. JSON is stored as text, booleans as 0 or 1. */
export type Value = null | number | string | Uint8Array

export type Parameters = readonly Value[]

/**
 * Returns the parameters after checking that both dialects can store them.
 * @throws EngineError `bad_input` for a text with U+0000, which PostgreSQL cannot store
 * @throws TypeError for other types, for numbers that are not finite, and for integers beyond 2^53 - 1
 */
export function storable(parameters: Parameters): Parameters {
  for (const value of parameters) requireStorable(value)
  return parameters
}

function requireStorable(value: Value): void {
  if (typeof value === 'string') {
    if (!value.includes('\0')) return
    throw new EngineError('bad_input', 'a text contains the character U+0000; leave it out')
  }
  if (typeof value === 'number') {
    if (Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))) return
    throw new TypeError('a number for the database is not finite or beyond 2^53 - 1')
  }
  if (value === null || value instanceof Uint8Array) return
  throw new TypeError(`a ${typeof value} is no value for the database`)
}

/**
 * Parses an integer.
 * @throws EngineError `corrupt_source` if a JavaScript number cannot represent it exactly
 */
export function integerOf(text: string): number {
  const integer = Number(text)
  if (Number.isSafeInteger(integer)) return integer
  throw unsafeInteger()
}

export function unsafeInteger(cause?: unknown): EngineError {
  const message = 'the database holds an integer beyond 2^53 - 1, which cannot be given exactly'
  return new EngineError('corrupt_source', message, { cause })
}
