const DAYS_PER_YEAR = 365.25

/** Converts years to whole days. */
export const daysOf = (years: number | undefined) =>
  years === undefined ? undefined : Math.round(years * DAYS_PER_YEAR)
