import { DATASET_NAMES } from '../datasets/define.ts'
import { joinCasesByFiles } from './case-twins.ts'
import { type Database, numberOf, rowsOf } from './database.ts'
import { joinCasesBySpecimens } from './join-specimens.ts'
import type { Staging } from './staging.ts'

const CASES = DATASET_NAMES.indexOf('cases')
const FILES = DATASET_NAMES.indexOf('files')

/** Records found to be the same across all sources, and files that were replaced. */
export interface Identities {
  /** Real case ids, keyed by generated id. */
  readonly realCases: ReadonlyMap<string, string>
  /**
   * Query for file versions: columns id and extra, the number of earlier versions, or -1 for a replaced file.
   */
  readonly fileVersions: string
  /** Number of records with a generated id that were matched by name to a record with an id. */
  readonly resolvedByName: number
  /** Number of cases that a table created from the name of another case's specimen. */
  readonly resolvedBySpecimens: number
  /** Number of cases without an id that their files matched to a case of another source. */
  readonly resolvedByFiles: number
}

/**
 * Matches records without an id to records of other sources that have one. A match requires a single record with
 * the same name and, for files, the same size. Cases are also matched by their specimens and files. Files that
 * were replaced pass their cases and samples on to the current version.
 */
export async function settleIdentities(staging: Staging): Promise<Identities> {
  const { database } = staging
  // A file without an id may be any of the files with one.
  if ((await numberOf(database, MADE_FILES)) > 0) await staging.unsort('files')
  await database.connection.run(ALIASES_BY_NAME)
  const resolvedByName = await numberOf(database, 'SELECT count(*) FROM aliases')
  await renameAliases(database)
  const resolvedBySpecimens = await joinCasesBySpecimens(staging)
  const resolvedByFiles = await joinCasesByFiles(database)
  if (resolvedBySpecimens + resolvedByFiles > 0) await renameAliases(database)
  // Versions are joined to the parts of files in the database.
  if ((await numberOf(database, 'SELECT count(*) FROM steps')) > 0) await staging.unsort('files')
  await database.connection.run(VERSIONS)
  const realCases = new Map<string, string>()
  const sql = `SELECT made_id, real_id FROM aliases WHERE dataset = ${CASES}`
  for await (const rows of rowsOf(database, sql)) {
    for (const [made, real] of rows) realCases.set(String(made), String(real))
  }
  return {
    realCases,
    fileVersions: FILE_VERSIONS,
    resolvedByName,
    resolvedBySpecimens,
    resolvedByFiles,
  }
}

const MADE_FILES = `SELECT count(*) FROM names WHERE dataset = ${FILES} AND made`

const ALIASES_BY_NAME = `
  CREATE TABLE aliases AS
    SELECT made.dataset, made.id AS made_id, min(given.id) AS real_id
    FROM (SELECT DISTINCT dataset, id, name, size FROM names WHERE made) made
    JOIN (SELECT DISTINCT dataset, id, name, size FROM names
        WHERE NOT made AND (SELECT bool_or(made) FROM names)) given
      ON given.dataset = made.dataset AND given.name = made.name
      AND (given.size IS NULL OR made.size IS NULL OR given.size = made.size)
    WHERE made.dataset IN (${CASES}, ${FILES})
    GROUP BY made.dataset, made.id
    HAVING count(DISTINCT given.id) = 1`

/** Replaces generated ids with real ids in all staging tables. */
async function renameAliases({ connection }: Database): Promise<void> {
  const rename = (table: string, column: string, dataset: string) => `
    UPDATE ${table} SET ${column} = aliases.real_id FROM aliases
      WHERE ${table}.${column} = aliases.made_id AND aliases.dataset = ${dataset}`
  await connection.run(
    [
      rename('parts', 'id', 'parts.dataset'),
      rename('entities', 'case_id', String(CASES)),
      rename('specimens', 'case_id', String(CASES)),
      rename('links', 'case_id', String(CASES)),
      rename('links', 'file_id', String(FILES)),
    ].join(';'),
  )
}

/** Maximum number of version steps to follow. */
const MAX_STEPS = 100

const VERSIONS = `
  CREATE TABLE replaced AS
    SELECT DISTINCT old_id AS id, new_id AS next FROM steps one
    WHERE new_id IS NOT NULL AND new_id <> old_id
      AND NOT EXISTS (SELECT 1 FROM steps back
        WHERE back.old_id = one.new_id AND back.new_id = one.old_id);
  CREATE TABLE ages AS
    WITH RECURSIVE chain(id, age) AS (
      SELECT next, 1 FROM replaced
      UNION
      SELECT replaced.next, chain.age + 1 FROM chain JOIN replaced ON replaced.id = chain.id
      WHERE chain.age < ${MAX_STEPS})
    SELECT id, max(age) AS age FROM chain GROUP BY id;
  CREATE TABLE heirs AS
    WITH RECURSIVE chain(id, next, steps) AS (
      SELECT id, next, 1 FROM replaced
        WHERE id IN (SELECT file_id FROM links)
      UNION
      SELECT chain.id, replaced.next, chain.steps + 1
      FROM chain JOIN replaced ON replaced.id = chain.next
      WHERE chain.steps < ${MAX_STEPS})
    SELECT DISTINCT chain.id, chain.next FROM chain
      WHERE chain.next NOT IN (SELECT id FROM replaced)
        AND chain.next IN (SELECT id FROM parts WHERE dataset = ${FILES});
  INSERT INTO links
    SELECT heirs.next, links.case_id, links.rank, links.place, links.length, links.cases,
      links.source, links.line
    FROM links JOIN heirs ON heirs.id = links.file_id;
  DELETE FROM links WHERE file_id IN (SELECT id FROM replaced)`

const FILE_VERSIONS = `
  SELECT coalesce(r.id, a.id) AS id,
    CASE WHEN r.id IS NULL THEN CAST(a.age AS INTEGER) ELSE -1 END AS extra
  FROM (SELECT DISTINCT id FROM replaced) r FULL JOIN ages a ON a.id = r.id`
