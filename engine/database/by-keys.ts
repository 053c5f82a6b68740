import type { Rows, Value } from './database.ts'

/** Keys of one statement. There are few of these, so that there are few statements to prepare. */
const WIDTHS = [1, 16, 500] as const
const MOST = 500

/**
 * Rows by keys of which there may be many: those of one key in the order of the statement.
 * @param sqlOf the statement with these places for keys, as in `WHERE id IN (${places})`
 */
export async function rowsByKeys<Row>(
  rows: Rows,
  sqlOf: (places: string) => string,
  keys: readonly Value[],
): Promise<Row[]> {
  const found: Row[] = []
  const distinct = [...new Set(keys)]
  for (let start = 0; start < distinct.length; start += MOST) {
    const some = distinct.slice(start, start + MOST)
    const width = WIDTHS.find((width) => width >= some.length) ?? MOST
    // A key that is given more than once finds no more.
    const padded = Array.from({ length: width }, (_, i) => some[i] ?? some[0] ?? null)
    const places = padded.map(() => '?').join(', ')
    const part = await rows.all<Row>(sqlOf(places), padded)
    for (const row of part) found.push(row)
  }
  return found
}
