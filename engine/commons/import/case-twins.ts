import { DATASET_NAMES } from '../datasets/define.ts'
import { type Database, numberOf, rowsOf } from './database.ts'
import { placeOfRecord, RECORD } from './record-place.ts'
import { groupsOf } from './sorted-rows.ts'
import type { Staging } from './staging.ts'

const CASES = DATASET_NAMES.indexOf('cases')

/** A case, with the first place in which a source names it. */
export interface NamedCase {
  /** Id of the case. Its name if the source has no id. */
  readonly case: string
  readonly source: string
  /** Line number. 0 in the current release. */
  readonly line: number
}

/** Cases that may be the same person, although that is not proven. */
export interface Twins {
  readonly cases: readonly NamedCase[]
  readonly reason: string
  /** Whether the two cases have a specimen or a clinical entity in common. */
  readonly isSharing?: true
}

export interface PossibleTwins {
  readonly count: number
  /** Number of pairs that have a specimen or a clinical entity in common. */
  readonly shared: number
  /** The first groups, each with its first cases. */
  readonly first: readonly Twins[]
}

/** Maximum number of groups that are reported. */
const MAX_TWINS = 20
/** Maximum number of cases reported per name or file. */
const MAX_CASES = 4

/** SQL that collects the cases without an id, and all links of their files. */
const LINKED = `
  CREATE TABLE unresolved AS
    SELECT DISTINCT id FROM names WHERE dataset = ${CASES} AND made
    EXCEPT SELECT made_id FROM aliases WHERE dataset = ${CASES};
  CREATE TABLE linked AS
    SELECT file_id, case_id, ${RECORD} AS record, cases,
      case_id IN (SELECT id FROM unresolved) AS made
    FROM links
    WHERE file_id IN (SELECT file_id FROM links WHERE case_id IN (SELECT id FROM unresolved))`

const JOIN_BY_FILES = `
  CREATE TABLE pairs AS
    SELECT DISTINCT min(case_id) FILTER (made) AS made_id, min(case_id) FILTER (NOT made) AS given_id
    FROM linked GROUP BY file_id
    HAVING count(DISTINCT case_id) FILTER (made) = 1
      AND count(DISTINCT case_id) FILTER (NOT made) = 1 AND max(cases) = 1;
  INSERT INTO aliases
    SELECT ${CASES}, made_id, given_id FROM pairs
    WHERE made_id IN (SELECT made_id FROM pairs GROUP BY made_id HAVING count(*) = 1)
      AND given_id IN (SELECT given_id FROM pairs GROUP BY given_id HAVING count(*) = 1)
      AND NOT EXISTS (SELECT 1 FROM names own JOIN names other ON other.name <> own.name
        WHERE own.dataset = ${CASES} AND other.dataset = ${CASES}
          AND own.id = pairs.made_id AND other.id = pairs.given_id);
  DELETE FROM unresolved WHERE id IN (SELECT made_id FROM aliases WHERE dataset = ${CASES})`

/**
 * Joins a case without an id to a case with an id if, for some file, both are the only case of their kind, and
 * no other file or name contradicts this.
 * @returns the number of joined cases
 */
export async function joinCasesByFiles(database: Database): Promise<number> {
  const count = () => numberOf(database, 'SELECT count(*) FROM aliases')
  const before = await count()
  await database.connection.run(`${LINKED}; ${JOIN_BY_FILES}`)
  return (await count()) - before
}

/** SQL that finds, for each case without an id, the first file that another record assigns to a case with an id. */
const BY_FILES = `
  CREATE TABLE doubtful AS
    SELECT own.case_id, min(own.file_id) AS file_id
    FROM linked own JOIN (
      SELECT file_id, min(record) AS low, max(record) AS high FROM linked WHERE NOT made
      GROUP BY file_id) other ON other.file_id = own.file_id
    WHERE own.case_id IN (SELECT id FROM unresolved)
      AND (other.low <> own.record OR other.high <> own.record)
    GROUP BY own.case_id`

const CASES_OF_FILES = `
  SELECT own.case_id, linked.case_id, linked.file_id, min(linked.record)
  FROM (SELECT * FROM doubtful ORDER BY case_id LIMIT ${MAX_TWINS}) own
    JOIN linked ON linked.file_id = own.file_id
    WHERE linked.case_id = own.case_id OR NOT linked.made
  GROUP BY own.case_id, linked.case_id, linked.file_id
  QUALIFY row_number() OVER (PARTITION BY own.case_id
    ORDER BY linked.case_id <> own.case_id, linked.case_id) <= ${MAX_CASES}
  ORDER BY own.case_id, linked.case_id <> own.case_id, linked.case_id`

/** SQL that finds cases whose name has several ids. */
const BY_NAMES = `
  SELECT name, id, min(${RECORD}) FROM names
  WHERE dataset = ${CASES} AND (NOT made OR id IN (SELECT id FROM unresolved))
    AND name IN (SELECT name FROM names WHERE dataset = ${CASES} AND NOT made
      GROUP BY name HAVING count(DISTINCT id) > 1)
  GROUP BY name, id
  QUALIFY row_number() OVER (PARTITION BY name ORDER BY id) <= ${MAX_CASES}
  ORDER BY name, id`

/**
 * SQL expression that removes from a name the differences made by programs and people. R writes an X before
 * names that begin with a digit, and programs that take names for numbers drop leading zeros.
 */
const lettersOf = (name: string) => `lower(regexp_replace(regexp_replace(regexp_replace(${name},
  '[\\s_.\u2010-\u2015\u2212-]+', '-', 'g'), '^[Xx](\\d)', '\\1'), '^0+(\\d+)$', '\\1'))`
const LETTERS = lettersOf('name')

/**
 * SQL that finds cases without an id whose names differ from that of another case only in letter case and in what
 * `lettersOf` removes.
 */
const BY_LETTERS = `
  WITH known AS (
    SELECT ${LETTERS} AS letters, name, id, made, min(${RECORD}) AS record FROM names
    WHERE dataset = ${CASES} AND (NOT made OR id IN (SELECT id FROM unresolved))
      AND ${LETTERS} IN (SELECT ${LETTERS} FROM names
        WHERE dataset = ${CASES} AND id IN (SELECT id FROM unresolved))
    GROUP BY ALL)
  SELECT letters, id, record, name FROM known
  WHERE letters IN (SELECT letters FROM known GROUP BY letters
    HAVING count(DISTINCT name) > 1 AND count(DISTINCT id) > 1)
  QUALIFY row_number() OVER (PARTITION BY letters ORDER BY name, id) <= ${MAX_CASES}
  ORDER BY letters, name, id`

/** SQL expression that removes from a name the number which R and pandas append to a repeated name. */
const BASE = lettersOf("regexp_replace(name, '\\.\\d+$', '')")

/** SQL that finds cases without an id whose name is that of another case with a number of R or pandas after it. */
const BY_SUFFIX = `
  WITH numbered AS (
    SELECT ${BASE} AS base, name, id, min(${RECORD}) AS record FROM names
    WHERE dataset = ${CASES} AND id IN (SELECT id FROM unresolved)
      AND regexp_matches(name, '\\.\\d+$')
    GROUP BY ALL),
  known AS (
    SELECT ${LETTERS} AS base, name, id, min(${RECORD}) AS record FROM names
    WHERE dataset = ${CASES} AND (NOT made OR id IN (SELECT id FROM unresolved))
      AND ${LETTERS} IN (SELECT base FROM numbered)
    GROUP BY ALL)
  SELECT base, id, record, name FROM
    (FROM known UNION ALL FROM numbered WHERE base IN (SELECT base FROM known))
  QUALIFY row_number() OVER (PARTITION BY base ORDER BY name, id) <= ${MAX_CASES}
  ORDER BY base, name, id`

/**
 * SQL that finds cases without an id whose name is nearly the name of a specimen of another case, or is the name
 * of a specimen of several cases.
 */
const BY_SPECIMENS = `
  WITH made AS (
    SELECT name, id, min(${RECORD}) AS record, ${LETTERS} AS letters, ${BASE} AS base FROM names
    WHERE dataset = ${CASES} AND id IN (SELECT id FROM unresolved) GROUP BY ALL),
  owners AS (
    SELECT ${LETTERS} AS letters, case_id, min(record) AS record FROM placed
    WHERE ${LETTERS} IN (SELECT letters FROM made UNION SELECT base FROM made) GROUP BY ALL),
  pairs AS (
    SELECT made.name, made.id, made.record, owners.case_id, min(owners.record) AS owned
    FROM made JOIN owners ON owners.letters IN (made.letters, made.base)
    WHERE made.id <> owners.case_id GROUP BY ALL)
  SELECT name, id, record, name FROM (SELECT DISTINCT name, id, record FROM pairs)
  UNION ALL
  SELECT name, case_id, owned, NULL FROM pairs
  QUALIFY row_number() OVER (PARTITION BY name ORDER BY case_id) < ${MAX_CASES}
  ORDER BY 1, 4 NULLS LAST, 2`

/** SQL that finds specimens that several cases have. It returns the first one for each group of cases. */
const SHARED = `
  WITH shared AS (
    SELECT level, name, case_id, min(record) AS record FROM placed
    WHERE (level, name) IN (SELECT (level, name) FROM placed
      GROUP BY level, name HAVING count(DISTINCT case_id) > 1)
    GROUP BY ALL),
  groups AS (
    SELECT level, name, list(case_id ORDER BY case_id) AS cases FROM shared GROUP BY level, name
    QUALIFY row_number() OVER (PARTITION BY cases ORDER BY level DESC, name) = 1)
  SELECT level || ' "' || name || '"', case_id, record, NULL FROM shared
  WHERE (level, name) IN (SELECT (level, name) FROM groups)
  QUALIFY row_number() OVER (PARTITION BY level, name ORDER BY record, case_id) <= ${MAX_CASES}
  ORDER BY 1, 3, 2`

/** SQL that finds clinical entities that several cases have. It returns the first one for each group of cases. */
const ENTITIES = `
  WITH shared AS (
    SELECT entity, case_id, min(${RECORD}) AS record FROM entities
    WHERE entity IN (SELECT entity FROM entities GROUP BY entity HAVING count(DISTINCT case_id) > 1)
    GROUP BY ALL),
  groups AS (
    SELECT entity, list(case_id ORDER BY case_id) AS cases FROM shared GROUP BY entity
    QUALIFY row_number() OVER (PARTITION BY cases ORDER BY entity) = 1)
  SELECT entity, case_id, record, NULL FROM shared
  WHERE entity IN (SELECT entity FROM groups)
  QUALIFY row_number() OVER (PARTITION BY entity ORDER BY record, case_id) <= ${MAX_CASES}
  ORDER BY 1, 3, 2`

/** Queries that find cases which may be the same person, each with the reason to suspect this. */
const WAYS: readonly (readonly [sql: string, reason: (key: string) => string])[] = [
  [BY_NAMES, (key) => `all are called "${key}"`],
  [BY_LETTERS, () => 'their names differ in upper and lower case, blanks, dashes or zeros alone'],
  [BY_SUFFIX, () => 'their names differ in a number at the end alone, as R numbers repeated names'],
  [BY_SPECIMENS, (key) => `"${key}" is the name of a specimen, or nearly so`],
  [SHARED, sharing],
  [ENTITIES, sharing],
]

function sharing(key: string): string {
  return `each has the ${key}; correct the rows that say so`
}

/**
 * Finds cases that may be the same person and were not joined. Must be called after `joinCasesByFiles` and
 * `settleSpecimens`.
 */
export async function findTwins(staging: Staging): Promise<PossibleTwins> {
  const { database, projectOfCase } = staging
  await database.connection.run(BY_FILES)
  const first: Twins[] = []
  const names = await namesOf(database)
  const named = (id: unknown, record: unknown): NamedCase => {
    const { source, line } = placeOfRecord(Number(record))
    return {
      case: names.get(String(id)) ?? String(id),
      source: staging.sources[source] ?? '',
      line,
    }
  }
  for await (const { rows } of groupsOf(database, CASES_OF_FILES)) {
    const cases = rows.map(([, id, , record]) => named(id, record))
    first.push({ cases, reason: `all are named for file ${rows[0]?.[2]}` })
  }
  let count = await numberOf(database, 'SELECT count(*) FROM doubtful')
  let shared = 0
  for (const [sql, reason] of WAYS) {
    for await (const { key, rows } of groupsOf(database, sql)) {
      const projects = rows.map(([, id]) => projectOfCase.get(String(id)))
      // Names are unique within a project, so equal names in different projects are no twins.
      const isOfProjects =
        !projects.includes(undefined) && new Set(projects).size === projects.length
      if (isOfProjects && sql !== ENTITIES) continue
      count++
      const isSharing = reason === sharing
      if (isSharing) shared++
      if (first.length >= MAX_TWINS) continue
      const cases = rows.map(([, id, record, name]) => named(name ?? id, record))
      first.push({ cases, reason: reason(key), ...(isSharing ? { isSharing } : {}) })
    }
  }
  await database.connection.run('DROP TABLE names; DROP TABLE placed; DROP TABLE entities')
  return { count, shared, first }
}

/** Returns the names of the cases without an id that may have twins. */
async function namesOf(database: Database): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>()
  const sql = `SELECT id, min(name) FROM names WHERE dataset = ${CASES} AND made
    AND (id IN (SELECT case_id FROM doubtful ORDER BY case_id LIMIT ${MAX_TWINS})
      OR id IN (SELECT case_id FROM (${SHARED} LIMIT ${MAX_TWINS * MAX_CASES}))
      OR id IN (SELECT case_id FROM (${ENTITIES} LIMIT ${MAX_TWINS * MAX_CASES}))) GROUP BY id`
  for await (const rows of rowsOf(database, sql)) {
    for (const [id, name] of rows) names.set(String(id), String(name))
  }
  return names
}
