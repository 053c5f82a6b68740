/** Whether a text is a day of the calendar, YYYY-MM-DD. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false
  const time = new Date(`${text}T00:00:00.000Z`)
  // Some take a 31st for the 1st of the month after.
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(text)
}

/** A day, with or without a time and a zone. */
const DATE_TIME =
  /^(\d{4}-\d{2}-\d{2})(?:[T ]((?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?))?$/i

/**
 * A day of the calendar, alone or with a time, as ISO 8601 writes it: behind `T`; `undefined` for any other text.
 *
 * @example dateTimeIn('2019-05-01 00:00:00') // '2019-05-01T00:00:00'
 */
export function dateTimeIn(text: string): string | undefined {
  const [, day, time] = DATE_TIME.exec(text) ?? []
  if (day === undefined || !isDay(day)) return undefined
  return time === undefined ? day : `${day}T${time}`
}
