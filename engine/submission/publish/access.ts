import type { StoredEntity } from '../transactions/graph.ts'
import type { ProjectToRelease } from '../transactions/store/projects.ts'

/**
 * Returns who may read a released file (data-commons.md 11.22): everybody, unless its entity or project has
 * an access other than `open`.
 */
export function accessOf(
  { properties }: StoredEntity,
  project: Pick<ProjectToRelease, 'properties'>,
): 'open' | 'controlled' {
  const declared = properties.access ?? project.properties.access ?? 'open'
  return declared === 'open' ? 'open' : 'controlled'
}
