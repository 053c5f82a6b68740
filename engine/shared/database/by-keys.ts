import type { Rows } from './database.ts'
import type { Parameters, Value } from './values.ts'

/** Keys of one statement. There are few of these, so that there are few statements to prepare. */
const WIDTHS = [1, 16, 100, 500] as const
const MOST = 500
/** Characters of a key that fills places: ids have fewer. */
const MAX_FILLER = 100

/** Places for keys, as in `WHERE id IN (${PLACES})`; where there are many, a statement has more. */
export const PLACES = placesFor(MOST)

/**
 * Keys of one statement where there are many: PostgreSQL may look at all rows of a table in each, and
 * does as long as it has no statistics of it.
 */
const MANY = 2000
const MANY_PLACES = placesFor(MANY)

/** A statement for each number of keys. */
export type KeyedStatements = ReadonlyMap<number, string>

/** @param sqlOf the statement with these places for keys, as in `WHERE id IN (${places})` */
export function keyedStatements(sqlOf: (places: string) => string): KeyedStatements {
  return new Map(WIDTHS.map((width) => [width, sqlOf(placesFor(width))]))
}

/**
 * Rows by keys of which there are few as a rule and may be many: those of one key in the order of the
 * statement.
 * @param ask answers a statement
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

/** Rows by any number of keys: the statement has PLACES for some of them, after `before`. */
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

/** As `byKeys`, the rows of one statement after the other. */
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

/** As `byKeys`, row after row: for statements that may find far more rows than there are keys. */
export async function* eachByKeys<Row>(
  rows: Rows,
  sql: string,
  keys: Iterable<string>,
): AsyncIterable<Row> {
  for (const some of filledPlaces(keys, MOST)) yield* rows.each<Row>(sql, some)
}

/**
 * Distinct keys for all places of a statement, for one statement after the other.
 * @param most places that a statement has
 * @param widthOf how many it has for a number of keys
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
    // A key that is given more than once finds no more. A long one, which a client may have sent, is not copied
    // hundreds of times to the database's thread; nothing equals null.
    const last = some.at(-1) ?? null
    const filler = typeof last === 'string' && last.length > MAX_FILLER ? null : last
    while (some.length < width) some.push(filler)
    yield some
  }
}

function placesFor(width: number): string {
  return Array(width).fill('?').join(', ')
}
