import type { Database, Rows, Transaction } from './database.ts'
import type { Parameters, Value } from './values.ts'

/** A table of an embedded database. */
export interface CopiedTable {
  readonly name: string
  readonly columns: readonly string[]
  /** Column whose numbers the database assigns and never reuses. */
  readonly numbered: string | undefined
}

/** Batch size of a copy: up to this many rows or bytes, whichever is reached first. */
const ROWS_AT_ONCE = 1000
const BYTES_AT_ONCE = 1024 * 1024

type Row = Readonly<Record<string, Value>>

/** Excludes the schema ledger, which each database writes for itself. */
const OWN_TABLES = `m.type = 'table' AND m.name <> 'schema_steps' AND m.name NOT LIKE 'sqlite%'`
const COLUMNS = `SELECT m.name AS "table", m.sql AS sql, c.name AS name
  FROM sqlite_schema m, pragma_table_info(m.name) c WHERE ${OWN_TABLES} ORDER BY m.name, c.cid`
const PARENTS = `SELECT DISTINCT m.name AS child, f."table" AS parent
  FROM sqlite_schema m, pragma_foreign_key_list(m.name) f WHERE ${OWN_TABLES}`
const NUMBERED = /(\w+) INTEGER PRIMARY KEY AUTOINCREMENT/

/** Returns all tables of an embedded database. A table comes after the tables that its foreign keys refer to. */
export async function tablesOf(rows: Rows): Promise<readonly CopiedTable[]> {
  type Column = { readonly table: string; readonly sql: string; readonly name: string }
  const found = Map.groupBy(await rows.all<Column>(COLUMNS), ({ table }) => table)
  const parents = Map.groupBy(
    await rows.all<{ readonly child: string; readonly parent: string }>(PARENTS),
    ({ child }) => child,
  )
  const ordered = new Map<string, CopiedTable>()
  const add = (name: string, below: readonly string[]) => {
    if (below.includes(name)) throw new Error(`rows of ${name} refer to each other in a circle`)
    for (const { parent } of parents.get(name) ?? []) add(parent, [...below, name])
    const columns = found.get(name) ?? []
    const [, numbered] = NUMBERED.exec(columns[0]?.sql ?? '') ?? []
    ordered.set(name, { name, columns: columns.map((column) => column.name), numbered })
  }
  for (const name of found.keys()) add(name, [])
  return [...ordered.values()]
}

/** Source and destination of a copy. */
export interface TableCopy {
  readonly from: Rows
  readonly to: Transaction
  readonly dialects: { readonly from: Database['dialect']; readonly to: Database['dialect'] }
  readonly signal?: AbortSignal | undefined
}

/** Deletes all rows of the tables. */
export async function emptyTables(to: Transaction, tables: readonly CopiedTable[]): Promise<void> {
  for (const { name } of tables.toReversed()) await to.run(`DELETE FROM ${name}`)
}

/**
 * Copies all rows of a table in batches, and also the next number that the table assigns.
 * @returns the number of rows
 */
export async function copyTable(table: CopiedTable, copy: TableCopy): Promise<number> {
  const { from, to, dialects, signal } = copy
  const names = table.columns.join(', ')
  const places = table.columns.map(() => '?').join(', ')
  const isGiven = table.numbered !== undefined && dialects.to === 'postgresql'
  const overriding = isGiven ? 'OVERRIDING SYSTEM VALUE ' : ''
  const insert = `INSERT INTO ${table.name} (${names}) ${overriding}VALUES (${places})`
  let count = 0
  for await (const rows of someRows(from, `SELECT ${names} FROM ${table.name}`, table.columns)) {
    signal?.throwIfAborted()
    await to.runEach(insert, rows)
    count += rows.length
  }
  const { name, numbered } = table
  if (numbered === undefined) return count
  const last = await lastNumber(from, dialects.from, { name, numbered })
  await setLastNumber(to, dialects.to, { name, numbered, last })
  return count
}

async function* someRows(
  from: Rows,
  sql: string,
  columns: readonly string[],
): AsyncIterable<readonly Parameters[]> {
  let some: Parameters[] = []
  let bytes = 0
  for await (const row of from.each<Row>(sql)) {
    const values = columns.map((name) => row[name] ?? null)
    for (const value of values) bytes += lengthOf(value)
    if (some.push(values) < ROWS_AT_ONCE && bytes < BYTES_AT_ONCE) continue
    yield some
    some = []
    bytes = 0
  }
  if (some.length > 0) yield some
}

function lengthOf(value: Value): number {
  return typeof value === 'string' || value instanceof Uint8Array ? value.length : 8
}

interface NumberedColumn {
  readonly name: string
  readonly numbered: string
}

/** Returns the last number that the table assigned, even if its row was deleted. 0 if it never assigned one. */
async function lastNumber(
  from: Rows,
  dialect: Database['dialect'],
  { name, numbered }: NumberedColumn,
): Promise<number> {
  if (dialect === 'sqlite') {
    const sql = 'SELECT seq AS last FROM sqlite_sequence WHERE name = ?'
    return (await from.get<{ readonly last: number }>(sql, [name]))?.last ?? 0
  }
  const sequence = await from.get<{ readonly sequence: string }>(
    `SELECT pg_get_serial_sequence('${name}', '${numbered}') AS sequence`,
  )
  const sql = `SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END AS last
    FROM ${sequence?.sequence}`
  return (await from.get<{ readonly last: number }>(sql))?.last ?? 0
}

async function setLastNumber(
  to: Transaction,
  dialect: Database['dialect'],
  { name, numbered, last }: NumberedColumn & { readonly last: number },
): Promise<void> {
  if (dialect === 'postgresql') {
    await to.run(`ALTER TABLE ${name} ALTER COLUMN ${numbered} RESTART WITH ${last + 1}`)
    return
  }
  await to.run('DELETE FROM sqlite_sequence WHERE name = ?', [name])
  await to.run('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)', [name, last])
}
