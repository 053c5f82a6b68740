import { createHash } from 'node:crypto'
import type { Rows } from '../../shared/database/database.ts'
import { entitiesOf } from '../transactions/store/entities.ts'
import { writeExactJson } from '../transactions/store/exact-json.ts'
import type { ProjectToRelease } from '../transactions/store/projects.ts'

/** Counted up when the same entities become other records. */
const FORM = 1

/**
 * What shows whether a release has exactly what a project has submitted. It does not change when
 * that is marked as released, nor with what is not submitted yet.
 */
export async function fingerprintOf(rows: Rows, project: ProjectToRelease): Promise<string> {
  const { projectId, id, properties, programId, programAccession } = project
  const hash = createHash('sha256')
  hash.update(writeExactJson([FORM, projectId, id, properties, programId, programAccession]))
  for await (const entity of entitiesOf(rows, projectId)) {
    const { type, submitterId, createdAt, updatedAt, version, supersedes } = entity
    const facts = [entity.id, type, submitterId, createdAt, updatedAt, version, supersedes]
    hash.update(writeExactJson([...facts, entity.properties]))
  }
  return hash.digest('hex')
}
