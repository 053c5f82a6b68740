/** SQL expression that combines the source and the line of a record into one number. */
export const RECORD = 'source * 4294967296::UBIGINT + line'

const LINES = 2 ** 32

/** Returns the index of the source and the line from the number that `RECORD` makes. */
export const placeOfRecord = (record: number) => ({
  source: Math.floor(record / LINES),
  line: record % LINES,
})
