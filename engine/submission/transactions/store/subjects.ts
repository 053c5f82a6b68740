import { byKeys, PLACES } from '../../../shared/database/by-keys.ts'
import type { Rows, Transaction } from '../../../shared/database/database.ts'

/** Returns the names that are on the project's list of subjects. Returns undefined if the project has no list. */
export async function listedSubjects(
  rows: Rows,
  projectId: string,
  names: Iterable<string>,
): Promise<ReadonlySet<string> | undefined> {
  const sql = 'SELECT 1 AS found FROM submission_subjects WHERE project_id = ? LIMIT 1'
  if ((await rows.get(sql, [projectId])) === undefined) return undefined
  const listed = `SELECT submitter_id FROM submission_subjects
     WHERE project_id = ? AND submitter_id IN (${PLACES})`
  const found = await byKeys<{ submitter_id: string }>(rows, listed, [projectId], names)
  return new Set(found.map((row) => row.submitter_id))
}

/**
 * Replaces the list of subjects of a project.
 * @param names without any, the project accepts cases of all subjects
 */
export async function setSubjects(
  transaction: Transaction,
  projectId: string,
  names: Iterable<string>,
): Promise<void> {
  await transaction.run('DELETE FROM submission_subjects WHERE project_id = ?', [projectId])
  await transaction.runEach(
    'INSERT INTO submission_subjects (project_id, submitter_id) VALUES (?, ?)',
    Array.from(new Set(names), (name) => [projectId, name]),
  )
}

/** Counts a project's current cases that are not on its list of subjects. */
export async function countUnlistedCases(rows: Rows, projectId: string): Promise<number> {
  const row = await rows.get<{ count: number }>(
    `SELECT count(*) AS count FROM submission_entities e
     WHERE e.project_id = ? AND e.type = 'case' AND e.is_current = 1 AND NOT EXISTS (
       SELECT 1 FROM submission_subjects s
       WHERE s.project_id = e.project_id AND s.submitter_id = e.submitter_id)`,
    [projectId],
  )
  return row?.count ?? 0
}
