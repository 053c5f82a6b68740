import type { GraphDialect } from './dialect.ts'
import type { StoredRow } from './node-row.ts'
import type { Relation } from './relations.ts'
import { type Sql, sql, verbatim } from './sql.ts'

/** Related rows of many rows, with their SQL source. */
export interface RelatedRows {
  readonly by: Relation
  /** SQL source of the related rows, and its alias. */
  readonly source: Sql
  readonly alias: 'e' | 't'
  readonly condition: Sql
}

export interface Page {
  /** Maximum number of rows. 0 means all. */
  readonly first: number
  readonly offset: number
}

/**
 * Returns a statement for one page of related rows for each of many rows. Column `holder` has the id of the row
 * to which they are related.
 */
export function relatedStatement(
  rows: RelatedRows & { readonly columns: Sql; readonly order: Sql; readonly page: Page },
  holders: readonly string[],
  dialect: GraphDialect,
): Sql {
  const { first, offset } = rows.page
  const last = first === 0 ? verbatim('') : sql`AND place <= ${offset + first}`
  return sql`SELECT * FROM (
      SELECT k.holder, ${rows.columns},
        row_number() OVER (PARTITION BY k.holder ORDER BY ${rows.order}) AS place
      FROM ${joinOf(rows, holders, dialect)}) AS ranked
    WHERE place > ${offset} ${last} ORDER BY place`
}

/** Returns a statement for numbers of related rows, above 0, with the columns `holder` and `total`. */
export function totalsStatement(
  rows: RelatedRows,
  holders: readonly string[],
  dialect: GraphDialect,
): Sql {
  return sql`SELECT k.holder, count(*) AS total
    FROM ${joinOf(rows, holders, dialect)} GROUP BY k.holder`
}

function joinOf(
  { by, source, alias, condition }: RelatedRows,
  holders: readonly string[],
  dialect: GraphDialect,
): Sql {
  const isMember = verbatim(`${alias}.id = k.member`)
  return sql`(${by(dialect.table(holders), dialect)}) AS k
    ${dialect.lookUp(source, alias, isMember)} WHERE ${condition}`
}

/** Groups rows by the text of a column. */
export async function groupedBy<Row>(
  column: string,
  rows: AsyncIterable<StoredRow>,
  make: (row: StoredRow) => Row,
): Promise<Map<string, Row[]>> {
  const groups = new Map<string, Row[]>()
  for await (const row of rows) {
    const key = String(row[column])
    const group = groups.get(key)
    if (group) group.push(make(row))
    else groups.set(key, [make(row)])
  }
  return groups
}

export async function totalsOf(rows: AsyncIterable<StoredRow>): Promise<Map<string, number>> {
  const totals = new Map<string, number>()
  for await (const { holder, total } of rows) totals.set(String(holder), Number(total))
  return totals
}
