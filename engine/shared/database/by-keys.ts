import type { Rows } from './database.ts'
import type { Parameters, Value } from './values.ts'

/** Numbers of keys per statement. There are few of them, so that few statements are prepared. */
const WIDTHS = [1, 16, 100, 500] as const
const MOST = 500
/** Longest key, in characters, that is repeated to fill placeholders. Ids are shorter. */
const MAX_FILLER = 100

/** Placeholders for keys, as in `WHERE id IN (${PLACES})`. For many keys, `byKeys` replaces them. */
export const PLACES = placesFor(MOST)

/**
 * Keys per statement if there are many. Without table statistics PostgreSQL may scan the whole table for each
 * statement, so fewer statements are faster.
 */
const MANY = 2000
const MANY_PLACES = placesFor(MANY)

/** Statements, keyed by their number of placeholders. */
export type KeyedStatements = ReadonlyMap<number, string>

/**
 * Creates the variants of a statement for each number of keys.
 * @param sqlOf returns the statement with these placeholders, as in `WHERE id IN (${places})`
 */
export function keyedStatements(sqlOf: (places: string) => string): KeyedStatements {
  return new Map(WIDTHS.map((width) => [width, sqlOf(placesFor(width))]))
}

/**
 * Returns the rows of any number of keys. It is fastest for few keys. Rows with the same key are in the order of
 * the statement.
 * @param ask runs a statement
 */
export async function rowsByKeys<Row>(
  ask: (sql: string, parameters: Parameters) => Promise<Row[]>,
  statements: KeyedStatements,
  keys: readonly Value[],
): Promise<Row[]> {
  if (keys.length === 1) return ask(statements.get(1) ?? '', keys)
  const found: Row[] = []
  const widthOf = (count: number) => WIDTHS.find((width) => width >= count) ?? MOST
  for (const some of filledPlaces(keys, MOST, widthOf)) {
    for (const row of await ask(statements.get(some.length) ?? '', some)) found.push(row)
  }
  return found
}

/**
 * Returns the rows of any number of keys.
 * @param sql statement with PLACES for the keys
 * @param before parameters before the keys
 */
export async function byKeys<Row>(
  rows: Rows,
  sql: string,
  before: Parameters,
  keys: Iterable<string>,
): Promise<Row[]> {
  const found: Row[] = []
  for await (const some of someByKeys<Row>(rows, sql, before, keys)) {
    for (const row of some) found.push(row)
  }
  return found
}

/** Yields the rows like `byKeys`, statement by statement. */
export async function* someByKeys<Row>(
  rows: Rows,
  sql: string,
  before: Parameters,
  keys: Iterable<string>,
): AsyncIterable<readonly Row[]> {
  const distinct = [...new Set(keys)]
  const areMany = distinct.length > MOST
  const wide = areMany ? sql.replace(PLACES, MANY_PLACES) : sql
  for (const some of filledPlaces(distinct, areMany ? MANY : MOST)) {
    yield await rows.all<Row>(wide, [...before, ...some])
  }
}

/** Yields the rows like `byKeys`, one by one. Use it if a key may match many rows. */
export async function* eachByKeys<Row>(
  rows: Rows,
  sql: string,
  keys: Iterable<string>,
): AsyncIterable<Row> {
  for (const some of filledPlaces(keys, MOST)) yield* rows.each<Row>(sql, some)
}

/**
 * Yields the distinct keys in groups that fill all placeholders of a statement.
 * @param most placeholders of the largest statement
 * @param widthOf returns the number of placeholders for a number of keys
 */
function* filledPlaces(
  keys: Iterable<Value>,
  most: number,
  widthOf: (count: number) => number = () => most,
): Iterable<readonly Value[]> {
  const distinct = [...new Set(keys)]
  for (let start = 0; start < distinct.length; start += most) {
    const some = distinct.slice(start, start + most)
    const width = widthOf(some.length)
    // The rest of the keys is filled up. Repeating a key would match no more rows, but a long key, which may
    // come from a client, should not be copied hundreds of times to the database thread. Null is used, since
    // nothing equals null.
    const last = some.at(-1) ?? null
    const filler = typeof last === 'string' && last.length > MAX_FILLER ? null : last
    while (some.length < width) some.push(filler)
    yield some
  }
}

function placesFor(width: number): string {
  return Array(width).fill('?').join(', ')
}
