/** What tables write where they have nothing. */
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
