import type { Parameters, Value } from './database.ts'

/** Keys of one statement. There are few of these, so that there are few statements to prepare. */
const WIDTHS = [1, 16, 500] as const
const MOST = 500

/** A statement for each number of keys. */
export type KeyedStatements = ReadonlyMap<number, string>

/** @param sqlOf the statement with these places for keys, as in `WHERE id IN (${places})` */
export function keyedStatements(sqlOf: (places: string) => string): KeyedStatements {
  return new Map(WIDTHS.map((width) => [width, sqlOf(Array(width).fill('?').join(', '))]))
}

/**
 * Rows by keys of which there may be many: those of one key in the order of the statement.
 * @param ask answers a statement
 */
export async function rowsByKeys<Row>(
  ask: (sql: string, parameters: Parameters) => Promise<Row[]>,
  statements: KeyedStatements,
  keys: readonly Value[],
): Promise<Row[]> {
  if (keys.length === 1) return ask(statements.get(1) ?? '', keys)
  const found: Row[] = []
  const distinct = [...new Set(keys)]
  for (let start = 0; start < distinct.length; start += MOST) {
    const some = distinct.slice(start, start + MOST)
    const width = WIDTHS.find((width) => width >= some.length) ?? MOST
    // A key that is given more than once finds no more.
    const padded = Array.from({ length: width }, (_, i) => some[i] ?? some[0] ?? null)
    for (const row of await ask(statements.get(width) ?? '', padded)) found.push(row)
  }
  return found
}
