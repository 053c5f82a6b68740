/** Whether a text is a day of the calendar, YYYY-MM-DD. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false
  const time = new Date(`${text}T00:00:00.000Z`)
  // Some take a 31st for the 1st of the month after.
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(text)
}
