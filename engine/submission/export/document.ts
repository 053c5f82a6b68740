import type { ExportedEntity, ExportLayout } from './exported.ts'
import { valueIn } from './exported.ts'

/**
 * Converts an entity to a document that can be submitted again (submission.md 12). It contains all properties
 * that a document may have, with null for missing values, and links as arrays.
 */
export function exportedDocument(
  entity: ExportedEntity,
  { columns, hasIds }: ExportLayout,
): Readonly<Record<string, unknown>> {
  const members = columns.map(({ name, keys }): [string, unknown] => {
    if (!keys) return [name, valueIn(entity, name) ?? null]
    const [key = 'id'] = keys
    const parents = entity.parents.get(name) ?? []
    const named = parents.map((parent) => ({
      ...(hasIds && { id: parent.id }),
      ...(key === 'id' ? { id: parent.id } : { [key]: parent.name }),
    }))
    return [name, named]
  })
  const [type = ['type', entity.type], ...others] = members
  return Object.fromEntries([type, ...(hasIds ? [['id', entity.id]] : []), ...others])
}
