/** Returns the current local year in four digits. The calendar is only consulted when a year has ended. */
export function yearOfSystem(): () => string {
  let year = ''
  let endsAt = Number.NEGATIVE_INFINITY
  let beganAt = Number.POSITIVE_INFINITY
  return () => {
    const now = Date.now()
    if (now >= endsAt || now < beganAt) {
      const current = new Date(now).getFullYear()
      beganAt = new Date(current, 0).getTime()
      endsAt = new Date(current + 1, 0).getTime()
      year = String(current).padStart(4, '0')
    }
    return year
  }
}
