/** Maximum characters of earlier states in one response. A page of the largest published tables has fewer. */
export const MAX_HISTORY_CHARACTERS = 8_000_000

/** Rows of earlier states in memory at a time: each may have some megabytes. */
export const HISTORY_ROWS_AT_ONCE = 4
