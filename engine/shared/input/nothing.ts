/** Words that tables use for a missing value. */
export const NOTHING: ReadonlySet<string> = new Set([
  '',
  'NA',
  "'--",
  '--',
  'Not available',
  'Not Available',
  '[Not Available]',
  '[Not Applicable]',
  '[Unknown]',
])
