import { createHash } from 'node:crypto'
import type { Rows } from '../../shared/database/database.ts'
import { entitiesOf } from '../transactions/store/entities.ts'
import { writeExactJson } from '../transactions/store/exact-json.ts'
import type { ProjectToRelease } from '../transactions/store/projects.ts'

/** Version of the conversion from entities to records. Must be increased when records change. */
const FORM = 1

/**
 * Returns a hash of a project's submissions, to be compared with the hash in a release. Entities that are not
 * submitted do not affect it, nor does marking entities as released.
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
