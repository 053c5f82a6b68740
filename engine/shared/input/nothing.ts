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

/** Words for a missing value that programs write, or that forms offer. */
export const WRITTEN_NOTHING: ReadonlySet<string> = new Set([
  ...['nan', 'NaN', 'NAN', 'none', 'None', 'NONE', 'null', 'Null', 'NULL', '<NA>'],
  ...['n/a', 'N/A', '#N/A', '#NA', '[Not Evaluated]', '[Discrepancy]', '[Completed]'],
  ...['-nan', '-NaN', '1.#IND', '-1.#IND', '1.#QNAN', '-1.#QNAN', '#N/A N/A', 'NaT', '<NULL>'],
  ...['\\N', '(null)', '(NULL)', '<null>', 'n.a.', 'N.A.', 'NA_character_', 'NA_integer_'],
  '[Pending]',
  '[Null]',
])

/** Errors that spreadsheets write in the place of a value. */
export const SPREADSHEET_ERRORS: ReadonlySet<string> = new Set([
  '#REF!',
  '#VALUE!',
  '#DIV/0!',
  '#NAME?',
  '#NUM!',
  '#NULL!',
])
