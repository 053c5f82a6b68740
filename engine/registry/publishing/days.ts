import { EngineError } from '../../shared/errors.ts'
import { isDay } from '../../shared/input/day.ts'

const DAY_MILLISECONDS = 86_400_000
/** Of year 9999: later ones are written in another form. */
export const LAST_MILLISECOND = 253_402_300_799_999

/** From the beginning of a day, inclusive, to the end of another one, exclusive; since 1970. */
export interface Days {
  readonly fromMilliseconds: number | undefined
  readonly toMilliseconds: number | undefined
}

/**
 * Reads two days, both included, from the members that are named.
 * @throws EngineError bad_input for what is no day of the form YYYY-MM-DD
 */
export function readDays<Name extends string>(
  request: Readonly<Partial<Record<Name, string | undefined>>>,
  names: { readonly from: Name; readonly to: Name },
): Days {
  const last = readDay(request[names.to], names.to)
  return {
    fromMilliseconds: readDay(request[names.from], names.from),
    toMilliseconds:
      last === undefined ? undefined : Math.min(last + DAY_MILLISECONDS, LAST_MILLISECOND),
  }
}

function readDay(text: string | undefined, at: string): number | undefined {
  if (text === undefined) return undefined
  if (isDay(text)) return Date.parse(text)
  throw new EngineError('bad_input', `"${at}" is no day; give YYYY-MM-DD`, { at })
}
