import { DATASET_NAMES } from '../datasets/define.ts'
import { type Database, rowsOf } from './database.ts'

const CASES = DATASET_NAMES.indexOf('cases')
const FILES = DATASET_NAMES.indexOf('files')

/** What the sources together tell about which records are the same, and which are history. */
export interface Identities {
  /** Real ids of cases by the ids that were made for them. */
  readonly realCases: ReadonlyMap<string, string>
  /** Relation (id, extra): how many versions of a file there were before; -1 for a replaced one. */
  readonly fileVersions: string
  /** Records that some source names without an id and another one with it. */
  readonly resolved: number
}

/**
 * Finds, for records that a source gave no id, the one record of that name (and size, for files)
 * that another source gives one; and the files that were replaced by others.
 */
export async function settleIdentities(database: Database): Promise<Identities> {
  const { connection } = database
  await connection.run(`
    CREATE TABLE aliases AS
      SELECT made.dataset, made.id AS made_id, min(given.id) AS real_id
      FROM (SELECT DISTINCT dataset, id, name, size FROM names WHERE made) made
      JOIN (SELECT DISTINCT dataset, id, name, size FROM names
          WHERE NOT made AND (SELECT bool_or(made) FROM names)) given
        ON given.dataset = made.dataset AND given.name = made.name
        AND (given.size IS NULL OR made.size IS NULL OR given.size = made.size)
      GROUP BY made.dataset, made.id
      HAVING count(DISTINCT given.id) = 1;
    DROP TABLE names;
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
        WHERE chain.age < 100)
      SELECT id, max(age) AS age FROM chain GROUP BY id`)
  const realCases = new Map<string, string>()
  let resolved = 0
  for await (const rows of rowsOf(
    database,
    `SELECT dataset, made_id, real_id FROM aliases WHERE dataset IN (${CASES}, ${FILES})`,
  )) {
    resolved += rows.length
    for (const [dataset, made, real] of rows) {
      if (dataset === CASES) realCases.set(String(made), String(real))
    }
  }
  if (resolved > 0) {
    await connection.run(`
      UPDATE parts SET id = aliases.real_id FROM aliases
        WHERE parts.dataset = aliases.dataset AND parts.id = aliases.made_id`)
  }
  return { realCases, fileVersions: FILE_VERSIONS, resolved }
}

const FILE_VERSIONS = `
  SELECT coalesce(r.id, a.id) AS id,
    CASE WHEN r.id IS NULL THEN CAST(a.age AS INTEGER) ELSE -1 END AS extra
  FROM (SELECT DISTINCT id FROM replaced) r FULL JOIN ages a ON a.id = r.id`
