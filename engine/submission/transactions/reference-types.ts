import type { EntityType } from '../dictionary/entity-type.ts'

/** Types that belong to no project, and that are registered in another way or not at all. */
const OTHERS: ReadonlySet<string> = new Set(['program', 'project', 'root'])

/**
 * Returns the property that identifies references of a type, or undefined for other types. References belong to
 * no project. Operators register them, and entities of all projects link to them (submission.md 4).
 * @example referenceKey(center) // 'code'
 */
export function referenceKey(type: EntityType): string | undefined {
  const { name, properties, links, uniqueKeys } = type
  if (properties.has('project_id') || links.size > 0 || OTHERS.has(name)) return undefined
  return uniqueKeys.flat().find((key) => key === 'code' || key === 'name')
}
