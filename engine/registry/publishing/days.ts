import { EngineError } from '../../shared/errors.ts'
import { isDay } from '../../shared/input/day.ts'

const DAY_MILLISECONDS = 86_400_000
/** Last millisecond of the year 9999. Later years would be written in another form. */
export const LAST_MILLISECOND = 253_402_300_799_999

/** A half-open range of milliseconds since 1970, from the start of the first day to the end of the last. */
interface Days {
  readonly fromMilliseconds: number | undefined
  readonly toMilliseconds: number | undefined
}

/**
 * Reads two inclusive days from the named members.
 * @throws EngineError `bad_input` if a day is not in the form YYYY-MM-DD
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
