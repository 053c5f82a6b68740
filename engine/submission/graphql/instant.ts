const INSTANT =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?)? ?(Z|[+-]\d{2}(?::?\d{2})?)?$/i

/**
 * Parses a day or an ISO 8601 time. Returns it in UTC with milliseconds, as times are stored. A time without a
 * zone is in UTC. Returns undefined for any other text.
 * @example readInstant('2026-01-31 10:00+02:00') // '2026-01-31T08:00:00.000Z'
 */
export function readInstant(text: string): string | undefined {
  const [, day, minutes = '00:00', seconds = '00', fraction = '', zone = 'Z'] =
    INSTANT.exec(text.trim()) ?? []
  if (day === undefined) return undefined
  const [, sign, hours, rest = '00'] = /^([+-])(\d{2}):?(\d{2})?$/.exec(zone) ?? []
  const offset = sign === undefined ? 'Z' : `${sign}${hours}:${rest}`
  const local = `${day}T${minutes}:${seconds}.${fraction.padEnd(3, '0').slice(0, 3)}`
  // Rejects 31 April, which Date would convert to 1 May.
  if (!new Date(`${local}Z`).toJSON()?.startsWith(day)) return undefined
  const time = new Date(`${local}${offset}`)
  const year = time.getUTCFullYear()
  return Number.isNaN(year) || year < 0 || year > 9999 ? undefined : time.toISOString()
}
