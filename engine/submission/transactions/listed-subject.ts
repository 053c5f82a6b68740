import type { EntityType } from '../dictionary/entity-type.ts'
import type { EntityIssue } from './entity-issue.ts'
import { CASE, type Graph } from './graph.ts'
import { literal } from './literal.ts'
import type { Resolved } from './resolve-entity.ts'

/** Returns an issue if a case gets a name that is not on the project's list of subjects (submission.md 7.5). */
export function unlistedSubject(
  { name: type }: EntityType,
  { action, stored, submitterId }: Resolved,
  { subjects }: Pick<Graph, 'subjects'>,
): EntityIssue | undefined {
  if (type !== CASE || subjects === undefined || submitterId === null) return undefined
  const isUnchanged = action !== 'create' && submitterId === stored?.submitterId
  if (isUnchanged || subjects.has(submitterId)) return undefined
  const message = `Case submitter_id ${literal(submitterId)} not found among the project's subjects.`
  return { keys: ['submitter_id'], message, type: 'NOT_FOUND' }
}
