import type { Dialect } from '../../shared/database/database.ts'
import { type Sql, sql, verbatim } from './sql.ts'

/**
 * What the dialects write differently. Names of properties are put into statements as they stand:
 * they are names of GraphQL, letters, digits and "_".
 */
export interface GraphDialect {
  /** That a text is one of some; how many does not change the statement. */
  among(column: Sql, texts: readonly string[]): Sql
  /** That a text is one of what a SELECT gives. */
  amongSelected(column: Sql, texts: Sql): Sql
  amongNumbers(column: Sql, numbers: readonly number[]): Sql
  /** Joins rows of a table that are looked up by an index, for each row of what stands before it. */
  lookUp(table: Sql, alias: 'e' | 'l' | 's' | 't', condition: Sql): Sql
  /** A table of texts, its column called `id`. */
  table(texts: readonly string[]): Sql
  /** A member of a JSON object; null where it has none, or one of another kind. */
  text(object: Sql, name: string): Sql
  number(object: Sql, name: string): Sql
  /** 0 or 1. */
  boolean(object: Sql, name: string): Sql
  /** That a member is a list with all of some texts in it. */
  holdsAll(object: Sql, name: string, texts: readonly string[]): Sql
  /** That the answer to a transaction names one of some cases with one of its entities. */
  namesCase(answer: Sql, ids: readonly string[]): Sql
  /** A statement from which on all of the transaction have some time together. */
  limitTime(milliseconds: number): Sql
  /** A condition that always holds, and breaks a statement off that is at work for too long. */
  readonly inTime: Sql
}

export function graphDialect(dialect: Dialect): GraphDialect {
  return dialect === 'sqlite' ? SQLITE : POSTGRESQL
}

/** Texts in one parameter. What no database can store is in none, so it is looked for in none. */
function listed(texts: readonly string[]): string {
  return JSON.stringify(texts.filter((text) => !text.includes('\0') && text.isWellFormed()))
}

const SQLITE: GraphDialect = Object.freeze({
  among: (column, texts) => sql`${column} IN (SELECT value FROM json_each(${listed(texts)}))`,
  amongSelected: (column, texts) => sql`${column} IN (${texts})`,
  amongNumbers: (column, numbers) =>
    sql`${column} IN (SELECT CAST(value AS REAL) FROM json_each(${JSON.stringify(numbers)}))`,
  // A CROSS JOIN preserves the order.
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
  // How many rows a list in a parameter has, or a new table, the planner does not know: without
  // OFFSET it would rather read tables as a whole.
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
    // Compiling takes longer than most of these statements.
    sql`SELECT set_config('jit', 'off', true),
      set_config('statement_timeout', ${String(Math.ceil(milliseconds))}, true)`,
  inTime: verbatim('TRUE'),
} satisfies GraphDialect)

const key = (name: string) => verbatim(`'${name}'`)

/** U+0000 and halves of surrogate pairs, which JSON may have as escapes, are none for PostgreSQL. */
const json = (text: Sql) =>
  sql`CAST(CASE WHEN strpos(${text}, '\\u') = 0 THEN ${text} ELSE regexp_replace(${text},
    '\\\\u(0000|[dD][89a-fA-F][0-9a-fA-F]{2})', '\\\\ufffd', 'g') END AS jsonb)`

function casePath(ids: readonly string[]): string {
  const same = (JSON.parse(listed(ids)) as string[]).map((id) => `@ == ${JSON.stringify(id)}`)
  return `$.entities[*].related_cases[*].id ? (${same.join(' || ') || '1 == 0'})`
}
