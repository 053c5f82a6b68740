import { type Answer, orderBuckets } from '../answers.ts'
import { type Conditions, FACETS, type Facet } from '../questions.ts'
import { isAmong, PLACES, quoted, type Test, testsOf, whereOf } from './columns.ts'

// Ten facets in one statement. Every way gives rows of facet, key and count, and one row `total`.

/** What differs from one database to the other. */
export interface Dialect {
  /** The table or view with the columns of PLACES. */
  readonly files: string
  /** The values of each set in `column`, from rows of `column` and `n`, as `value` and `n`. */
  readonly apart: (column: string, counts: string) => string
  readonly test?: Test
}

const COLUMNS = FACETS.map((facet) => PLACES[facet].column)
const total = (count: string, source: string) =>
  `SELECT 'total' AS facet, NULL::VARCHAR AS key, ${count}::INTEGER AS n FROM ${source}`

/**
 * One materialised pass over the files that meet all conditions or all but those on one facet, with
 * a flag per condition.
 */
function passOf({ files, test = isAmong }: Dialect, conditions: Conditions): string {
  const tests = testsOf(conditions, test)
  const flags = tests.map((each, i) => `coalesce(${each.test}, false) AS flag_${i}`)
  // Whoever fails two conditions is in no count.
  const loose = tests.map((_, left) => tests.filter((_, i) => i !== left).map((each) => each.test))
  const where =
    tests.length < 2 ? 'true' : loose.map((all) => `(${all.join(' AND ')})`).join(' OR ')
  return `SELECT ${[...COLUMNS, ...flags].join(', ')} FROM ${files} WHERE ${where}`
}

/** What counts for a facet, in flags: all conditions but those on itself. */
function flagsFor(conditions: Conditions, facet: Facet | undefined): string {
  const flags = testsOf(conditions).flatMap(({ field }, i) =>
    field === facet ? [] : [`flag_${i}`],
  )
  return flags.length > 0 ? flags.join(' AND ') : 'true'
}

/** Rows of facet, key and count from rows of a facet's column and `n`. */
function bucketsOf({ apart }: Dialect, facet: Facet, counts: string): string {
  const { column, sets } = PLACES[facet]
  const name = `${quoted(facet)} AS facet`
  if (!sets) return `SELECT ${name}, ${column}::VARCHAR AS key, n FROM (${counts}) AS counts`
  return `SELECT ${name}, nullif(value, '') AS key, sum(n)::INTEGER AS n
          FROM (${apart(column, counts)}) AS counts GROUP BY value`
}

function countsOf(facet: Facet, source: string): string {
  const { column } = PLACES[facet]
  return `SELECT ${column}, count(*)::INTEGER AS n FROM ${source} GROUP BY ${column}`
}

/** One pass, then one grouping per facet over what it kept. */
export function passAndGroups(dialect: Dialect, conditions: Conditions): string {
  const source = (facet?: Facet) => `pass WHERE ${flagsFor(conditions, facet)}`
  const facets = FACETS.map((facet) => bucketsOf(dialect, facet, countsOf(facet, source(facet))))
  return `WITH pass AS MATERIALIZED (${passOf(dialect, conditions)})
    ${[total('count(*)', source()), ...facets].join('\nUNION ALL\n')}`
}

/** One pass and one grouping by all facets, each a grouping set. */
export function passAndGroupingSets(dialect: Dialect, conditions: Conditions): string {
  const counted = (facet?: Facet) => `count(*) FILTER (WHERE ${flagsFor(conditions, facet)})`
  const counts = FACETS.map((facet, i) => `${counted(facet)}::INTEGER AS n_${i}`)
  const grouped = `SELECT ${COLUMNS.join(', ')}, GROUPING(${COLUMNS.join(', ')}) AS which,
      ${counts.join(', ')}, ${counted()}::INTEGER AS n_all
    FROM pass GROUP BY GROUPING SETS ((), ${COLUMNS.map((column) => `(${column})`).join(', ')})`
  const all = (1 << FACETS.length) - 1
  const facets = FACETS.map((facet, i) => {
    // The bit of the one column that is grouped by is clear; the first column has the highest.
    const which = all ^ (1 << (FACETS.length - 1 - i))
    const rows = `FROM grouped WHERE which = ${which} AND n_${i} > 0`
    return bucketsOf(dialect, facet, `SELECT ${COLUMNS[i]}, n_${i} AS n ${rows}`)
  })
  const matching = total('n_all', `grouped WHERE which = ${all}`)
  return `WITH pass AS MATERIALIZED (${passOf(dialect, conditions)}),
    grouped AS MATERIALIZED (${grouped})
    ${[matching, ...facets].join('\nUNION ALL\n')}`
}

/** One scan of the table per facet. */
export function scansAndGroups(dialect: Dialect, conditions: Conditions): string {
  const source = (facet?: Facet) => {
    const among = Object.entries(conditions.among).filter(([field]) => field !== facet)
    const rest = { among: Object.fromEntries(among) }
    return `${dialect.files} WHERE ${whereOf(rest, dialect.test)}`
  }
  const facets = FACETS.map((facet) => bucketsOf(dialect, facet, countsOf(facet, source(facet))))
  return [total('count(*)', source()), ...facets].join('\nUNION ALL\n')
}

/** Rows of facet, key, count as an answer. */
export function facetsFrom(rows: readonly (readonly unknown[])[]): Answer {
  const counts = new Map<string, Map<string | null, number>>(
    FACETS.map((facet) => [facet, new Map()]),
  )
  let matching = 0
  for (const [facet, key, n] of rows) {
    if (facet === 'total') matching = Number(n)
    else counts.get(String(facet))?.set(key === null ? null : String(key), Number(n))
  }
  const facets = [...counts].map(([facet, buckets]) => [facet, orderBuckets(buckets)])
  return { total: matching, facets: Object.fromEntries(facets) }
}
