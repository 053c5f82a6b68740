/** Returns whether a text is a valid calendar day in the form YYYY-MM-DD. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false
  const time = new Date(`${text}T00:00:00.000Z`)
  // JavaScript engines may turn 31 April into 1 May.
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(text)
}

/** Matches a day, optionally with a time and a time zone. */
const DATE_TIME =
  /^(\d{4}-\d{2}-\d{2})(?:[T ]((?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?))?$/i

/**
 * Normalises a day or a date-time to ISO 8601, with `T` before the time. Returns `undefined` for any other text.
 * @example dateTimeIn('2019-05-01 00:00:00') // '2019-05-01T00:00:00'
 */
export function dateTimeIn(text: string): string | undefined {
  const [, day, time] = DATE_TIME.exec(text) ?? []
  if (day === undefined || !isDay(day)) return undefined
  return time === undefined ? day : `${day}T${time}`
}
