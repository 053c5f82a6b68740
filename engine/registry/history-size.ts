/** Maximum characters of earlier states in one response. Pages of the largest published tables have fewer. */
export const MAX_HISTORY_CHARACTERS = 8_000_000

/** Rows of earlier states in memory at a time: each may have some megabytes. */
export const HISTORY_ROWS_AT_ONCE = 4
