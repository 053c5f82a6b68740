import type { Dialect } from '../../shared/database/database.ts'
import { type Sql, sql, verbatim } from './sql.ts'

/**
 * SQL that differs between SQLite and PostgreSQL. Property names are inserted verbatim, which is safe because
 * GraphQL names consist of letters, digits and "_".
 */
export interface GraphDialect {
  /** Tests whether a text is in a list, by a statement that does not depend on the list's length. */
  among(column: Sql, texts: readonly string[]): Sql
  /** Tests whether a text is in the result of a SELECT. */
  amongSelected(column: Sql, texts: Sql): Sql
  amongNumbers(column: Sql, numbers: readonly number[]): Sql
  /** Joins the rows of a table by an index lookup per preceding row. */
  lookUp(table: Sql, alias: 'e' | 'l' | 's' | 't', condition: Sql): Sql
  /** Returns a table of texts with the column `id`. */
  table(texts: readonly string[]): Sql
  /** Returns a member of a JSON object. Null if the member is missing or not a text. */
  text(object: Sql, name: string): Sql
  number(object: Sql, name: string): Sql
  /** Returns a boolean member as 0 or 1. */
  boolean(object: Sql, name: string): Sql
  /** Tests whether a member is a list that contains all texts. */
  holdsAll(object: Sql, name: string, texts: readonly string[]): Sql
  /** Tests whether a transaction's response lists one of these cases as related to an entity. */
  namesCase(answer: Sql, ids: readonly string[]): Sql
  /** Returns a statement that limits the total time of all later statements in the transaction. */
  limitTime(milliseconds: number): Sql
  /** Condition that is always true, but aborts a statement that takes too long. */
  readonly inTime: Sql
}

export function graphDialect(dialect: Dialect): GraphDialect {
  return dialect === 'sqlite' ? SQLITE : POSTGRESQL
}

/** Encodes texts as one JSON parameter. A text that no database can store would match nothing, so it is dropped. */
function listed(texts: readonly string[]): string {
  return JSON.stringify(texts.filter((text) => !text.includes('\0') && text.isWellFormed()))
}

const SQLITE: GraphDialect = Object.freeze({
  among: (column, texts) => sql`${column} IN (SELECT value FROM json_each(${listed(texts)}))`,
  amongSelected: (column, texts) => sql`${column} IN (${texts})`,
  amongNumbers: (column, numbers) =>
    sql`${column} IN (SELECT CAST(value AS REAL) FROM json_each(${JSON.stringify(numbers)}))`,
  // SQLite keeps the join order of a CROSS JOIN.
  lookUp: (table, alias, condition) =>
    sql`CROSS JOIN ${table} AS ${verbatim(alias)} ON ${condition}`,
  table: (texts) => sql`(SELECT value AS id FROM json_each(${listed(texts)}))`,
  text: (object, name) => sql`CAST(${object} ->> ${path(name)} AS TEXT)`,
  number: (object, name) =>
    sql`CASE WHEN json_type(${object}, ${path(name)}) IN ('integer', 'real')
      THEN CAST(${object} ->> ${path(name)} AS REAL) END`,
  boolean: (object, name) =>
    sql`CASE json_type(${object}, ${path(name)}) WHEN 'true' THEN 1 WHEN 'false' THEN 0 END`,
  holdsAll: (object, name, texts) =>
    sql`json_type(${object}, ${path(name)}) = 'array' AND NOT EXISTS (
      SELECT 1 FROM json_each(${listed(texts)}) AS wanted WHERE wanted.value NOT IN (
        SELECT value FROM json_each(${object}, ${path(name)}) WHERE value IS NOT NULL))`,
  namesCase: (answer, ids) =>
    sql`EXISTS (SELECT 1 FROM json_each(${answer}, '$.entities') AS one,
      json_each(one.value, '$.related_cases') AS named
      WHERE named.value ->> '$.id' IN (SELECT value FROM json_each(${listed(ids)})))`,
  limitTime: (milliseconds) => sql`SELECT limit_time(${milliseconds})`,
  inTime: verbatim('in_time()'),
} satisfies GraphDialect)

const path = (name: string) => verbatim(`'$."${name}"'`)

const POSTGRESQL: GraphDialect = Object.freeze({
  among: (column, texts) =>
    sql`${column} = ANY (ARRAY(SELECT jsonb_array_elements_text(CAST(${listed(texts)} AS jsonb))))`,
  amongSelected: (column, texts) => sql`${column} = ANY (ARRAY(${texts}))`,
  amongNumbers: (column, numbers) =>
    sql`${column} = ANY (ARRAY(SELECT CAST(value AS double precision)
      FROM jsonb_array_elements_text(CAST(${JSON.stringify(numbers)} AS jsonb)) AS value))`,
  // OFFSET 0 forces the index lookup: the planner underestimates lists in parameters and new tables, and
  // would scan whole tables.
  lookUp: (table, alias, condition) =>
    sql`CROSS JOIN LATERAL (SELECT ${verbatim(alias)}.* FROM ${table} AS ${verbatim(alias)}
      WHERE ${condition} OFFSET 0) AS ${verbatim(alias)}`,
  table: (texts) =>
    sql`(SELECT value COLLATE "C" AS id
      FROM jsonb_array_elements_text(CAST(${listed(texts)} AS jsonb)) AS value)`,
  text: (object, name) => sql`(${json(object)} ->> ${key(name)}) COLLATE "C"`,
  number: (object, name) =>
    sql`CASE jsonb_typeof(${json(object)} -> ${key(name)}) WHEN 'number'
      THEN CAST(${json(object)} ->> ${key(name)} AS double precision) END`,
  boolean: (object, name) =>
    sql`CASE ${json(object)} -> ${key(name)} WHEN 'true' THEN 1 WHEN 'false' THEN 0 END`,
  holdsAll: (object, name, texts) =>
    sql`jsonb_typeof(${json(object)} -> ${key(name)}) = 'array'
      AND ${json(object)} -> ${key(name)} @> CAST(${listed(texts)} AS jsonb)`,
  namesCase: (answer, ids) =>
    sql`jsonb_path_exists(${json(answer)}, CAST(${casePath(ids)} AS jsonpath))`,
  limitTime: (milliseconds) =>
    // JIT compilation takes longer than most of these statements.
    sql`SELECT set_config('jit', 'off', true),
      set_config('statement_timeout', ${String(Math.ceil(milliseconds))}, true)`,
  inTime: verbatim('TRUE'),
} satisfies GraphDialect)

const key = (name: string) => verbatim(`'${name}'`)

/** Replaces escapes of U+0000 and lone surrogates, which are valid in JSON but not in PostgreSQL. */
const json = (text: Sql) =>
  sql`CAST(CASE WHEN strpos(${text}, '\\u') = 0 THEN ${text} ELSE regexp_replace(${text},
    '\\\\u(0000|[dD][89a-fA-F][0-9a-fA-F]{2})', '\\\\ufffd', 'g') END AS jsonb)`

function casePath(ids: readonly string[]): string {
  const same = (JSON.parse(listed(ids)) as string[]).map((id) => `@ == ${JSON.stringify(id)}`)
  return `$.entities[*].related_cases[*].id ? (${same.join(' || ') || '1 == 0'})`
}
