import { EngineError } from '../errors.ts'

interface CountLimits {
  readonly byDefault: number
  readonly least: number
  readonly most: number
}

/**
 * Parses an integer query parameter, or returns the default if it is missing (registry.md 7.2).
 * @throws EngineError `bad_input` naming the limits, if it is no integer or beyond them
 */
export function readCount(
  value: string | number | undefined,
  at: string,
  { byDefault, least, most }: CountLimits,
): number {
  if (value === undefined) return byDefault
  const number = /^\d{1,15}$/.test(String(value)) ? Number(value) : Number.NaN
  if (number >= least && number <= most) return number
  const message = `"${at}" is no whole number from ${least} to ${most}`
  throw new EngineError('bad_input', message, { at })
}
