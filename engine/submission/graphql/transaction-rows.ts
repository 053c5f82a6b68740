import type { GraphQLResolveInfo } from 'graphql'
import { type Arguments, listIn } from './conditions.ts'
import type { NodeRow, StoredRow } from './node-row.ts'
import { countOn, limitTo, pageOf } from './page.ts'
import type { Reading } from './reading.ts'
import {
  groupedBy,
  type RelatedRows,
  relatedStatement,
  totalsOf,
  totalsStatement,
} from './related-rows.ts'
import { toTransactions } from './relations.ts'
import { requestedFields } from './requested-fields.ts'
import { every, NEVER, type Sql, some, sql, verbatim } from './sql.ts'

/** A transaction of the log. `canonical_json` is set if requested. */
export interface TransactionRow {
  readonly id: number
  readonly columns: StoredRow
}

const COLUMNS =
  't.id, t.program, t.project, t.project_id, t.role, t.is_dry_run, t.closed, ' +
  't.committed_by, t.state, t.submitter, t.created_at'

/** Roles that queries call `upload` (submission.md 15.2). */
const UPLOADS: readonly string[] = Object.freeze(['create', 'update'])

export const typeOfRole = (role: unknown) =>
  UPLOADS.includes(String(role)) ? 'upload' : String(role)

const COMMITTABLE = verbatim(
  "t.is_dry_run = 1 AND t.state = 'SUCCEEDED' AND t.closed = 0 AND t.committed_by IS NULL",
)

export function isCommittable({ columns }: TransactionRow): boolean {
  const { is_dry_run, state, closed, committed_by } = columns
  return is_dry_run === 1 && state === 'SUCCEEDED' && closed === 0 && committed_by === null
}

/** Returns the condition for a row `t` of the transaction log: the arguments hold, and the caller may see it. */
function conditionOf(given: Arguments, { asking }: Reading): Sql {
  const { dialect, projects } = asking
  const found: Sql[] = [dialect.inTime]
  if (projects) found.push(dialect.among(verbatim('t.project_id'), projects))
  for (const name of ['id', 'quick_search', 'committed_by']) {
    const text = given[name]
    if (text === undefined || text === null) continue
    const number = /^\s*\d{1,15}\s*$/.test(String(text)) ? Number(text) : undefined
    const column = verbatim(name === 'committed_by' ? 't.committed_by' : 't.id')
    found.push(number === undefined ? NEVER : sql`${column} = ${number}`)
  }
  for (const name of ['is_dry_run', 'closed']) {
    const wanted = given[name]
    if (typeof wanted === 'boolean') found.push(sql`${verbatim(`t.${name}`)} = ${wanted ? 1 : 0}`)
  }
  if (typeof given.committable === 'boolean') {
    found.push(given.committable ? COMMITTABLE : sql`NOT (${COMMITTABLE})`)
  }
  for (const name of ['project_id', 'project', 'program', 'state']) {
    const wanted = listIn(given, name)?.map(String)
    if (wanted) found.push(dialect.among(verbatim(`t.${name}`), wanted))
  }
  if (typeof given.type === 'string') {
    found.push(dialect.among(verbatim('t.role'), given.type === 'upload' ? UPLOADS : [given.type]))
  }
  return every([...found, ...contentConditions(given, asking.dialect)])
}

/** Returns whether an id has none of the wildcards of LIKE. */
const isPlainId = (id: string) => /^[0-9a-z-]{1,100}$/.test(id)

function contentConditions(given: Arguments, dialect: Reading['asking']['dialect']): Sql[] {
  const idsIn = (name: string) => listIn(given, name)?.map((id) => String(id).toLowerCase())
  const found: Sql[] = []
  const entities = idsIn('entities')
  if (entities) {
    found.push(sql`EXISTS (SELECT 1 FROM submission_snapshots AS s
      WHERE s.transaction_id = t.id AND ${dialect.among(verbatim('s.entity_id'), entities)})`)
  }
  const cases = idsIn('related_cases')?.filter(isPlainId)
  if (cases) {
    const answer = verbatim('d.response_json')
    // The response is first searched for the id as text, which is much faster than parsing its JSON.
    const anywhere = some(cases.map((id) => sql`${answer} LIKE ${`%"${id}"%`}`))
    found.push(sql`EXISTS (SELECT 1 FROM submission_documents AS d WHERE d.transaction_id = t.id
      AND CASE WHEN ${anywhere} THEN ${dialect.namesCase(answer, cases)} ELSE FALSE END)`)
  }
  return found
}

const ORDERS: ReadonlyMap<unknown, string> = new Map([
  ...['id', 'submitter', 'role', 'program', 'project', 'project_id', 'canonical_json'].map(
    (name): [string, string] => [name, `t.${name}`],
  ),
  ['created_datetime', 't.created_at'],
])

/** Returns the ORDER BY. Unknown names are ignored (submission.md 15.2). */
function orderOf(given: Arguments): Sql {
  const asc = ORDERS.get(given.order_by_asc)
  const desc = ORDERS.get(given.order_by_desc)
  const named = [
    ...(asc === undefined ? [] : [`${asc} ASC`]),
    ...(desc === undefined ? [] : [`${desc} DESC`]),
    typeof given.last === 'number' ? 't.id DESC' : 't.id ASC',
  ]
  return verbatim(named.join(', '))
}

/** Returns the page. `last` may be given instead of `first`, and takes precedence. */
function pageIn(given: Arguments) {
  const { last, ...others } = given
  return pageOf(typeof last === 'number' ? { ...others, first: last } : others)
}

const columnsFor = (info: GraphQLResolveInfo) => {
  const names = requestedFields(info)
  const wantsJson = names.has('canonical_json')
  return {
    columns: verbatim(wantsJson ? `${COLUMNS}, t.canonical_json` : COLUMNS),
    values: names.size,
  }
}

/** Lists the transactions of the projects that the caller may see (submission.md 15.2). */
export async function listTransactions(
  reading: Reading,
  given: Arguments,
  info: GraphQLResolveInfo,
) {
  const { columns, values } = columnsFor(info)
  const statement = sql`SELECT ${columns} FROM submission_transactions AS t
    WHERE ${conditionOf(given, reading)} ORDER BY ${orderOf(given)} ${limitTo(pageIn(given))}`
  const found: TransactionRow[] = []
  for await (const row of reading.rowsOf(statement, values)) found.push(transactionRow(row))
  return reading.inTurns(found)
}

export async function countTransactions(reading: Reading, given: Arguments): Promise<number> {
  const page = pageIn(given)
  const statement = sql`SELECT t.project_id, count(*) AS total FROM submission_transactions AS t
    WHERE ${conditionOf(given, reading)} GROUP BY t.project_id`
  return countOn(page, await reading.totalOf(statement))
}

/** Lists the transactions that changed an entity. */
export async function transactionsOf(
  { id }: NodeRow,
  reading: Reading,
  given: Arguments,
  info: GraphQLResolveInfo,
) {
  const found = await reading.ofMany(id, info, (ids) => {
    const { columns, values } = columnsFor(info)
    const order = orderOf(given)
    const rows = { ...relatedTo(given, reading), columns, order, page: pageIn(given) }
    const statement = relatedStatement(rows, ids, reading.asking.dialect)
    return groupedBy('holder', reading.rowsOf(statement, values), transactionRow)
  })
  return reading.inTurns(found ?? [])
}

export async function transactionCountOf(
  { id }: NodeRow,
  reading: Reading,
  given: Arguments,
  info: GraphQLResolveInfo,
): Promise<number> {
  const page = pageIn(given)
  const total = await reading.ofMany(id, info, (ids) => {
    const statement = totalsStatement(relatedTo(given, reading), ids, reading.asking.dialect)
    return totalsOf(reading.rowsOf(statement, 1))
  })
  return countOn(page, total ?? 0)
}

function relatedTo(given: Arguments, reading: Reading): RelatedRows {
  return {
    by: toTransactions,
    source: verbatim('submission_transactions'),
    alias: 't',
    condition: conditionOf(given, reading),
  }
}

function transactionRow(columns: StoredRow): TransactionRow {
  return { id: Number(columns.id), columns }
}

/**
 * Returns the rows of a table that belong to a transaction, in order.
 * @param part constant SQL: a table with `transaction_id` and `position`, and columns of its alias `p`; `values`
 *   is the number of requested fields per row, which the budget of the query counts
 */
export async function partsOf(
  { id }: TransactionRow,
  reading: Reading,
  info: GraphQLResolveInfo,
  part: { readonly table: string; readonly columns: string; readonly values: number },
): Promise<readonly StoredRow[]> {
  const found = await reading.ofMany(String(id), info, (ids) => {
    // The ids are numbers (TransactionRow), so they can be part of the SQL text.
    const statement = verbatim(`SELECT p.transaction_id, p.position, ${part.columns}
      FROM ${part.table} AS p WHERE p.transaction_id IN (${ids.join(', ')})
      ORDER BY p.transaction_id, p.position`)
    return groupedBy('transaction_id', reading.rowsOf(statement, part.values), (row) => row)
  })
  return found ?? []
}
