import type { EntityType } from '../dictionary/entity-type.ts'

/** Without a project as well, and registered otherwise or not at all. */
const OTHERS: ReadonlySet<string> = new Set(['program', 'project', 'root'])

/**
 * The property that identifies references of a type; undefined for other types. References
 * belong to no project: entities of all link to them, and operators register them (submission.md 4).
 *
 * @example referenceKey(center) // 'code'
 */
export function referenceKey(type: EntityType): string | undefined {
  const { name, properties, links, uniqueKeys } = type
  if (properties.has('project_id') || links.size > 0 || OTHERS.has(name)) return undefined
  return uniqueKeys.flat().find((key) => key === 'code' || key === 'name')
}
