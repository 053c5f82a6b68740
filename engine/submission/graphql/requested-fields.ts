import type { GraphQLResolveInfo, SelectionSetNode } from 'graphql'

/** Returns the names of the fields that a query selects within a field, for any type. May include skipped fields. */
export function requestedFields({
  fieldNodes,
  fragments,
}: GraphQLResolveInfo): ReadonlySet<string> {
  const names = new Set<string>()
  const seen = new Set<SelectionSetNode>()
  const waiting = fieldNodes.map(({ selectionSet }) => selectionSet)
  for (const set of waiting) {
    if (!set || seen.has(set)) continue
    seen.add(set)
    for (const one of set.selections) {
      if (one.kind === 'Field') names.add(one.name.value)
      else if (one.kind === 'InlineFragment') waiting.push(one.selectionSet)
      else waiting.push(fragments[one.name.value]?.selectionSet)
    }
  }
  return names
}
