import type { Dataset, FieldType } from '../datasets/define.ts'
import { DATASETS } from '../datasets/index.ts'
import { namesOf } from '../datasets/resolve.ts'
import { createResolver, type Resolver } from '../datasets/resolver.ts'
import { fieldsOf } from '../datasets/tree.ts'
import type { Place } from './places.ts'
import { treeOf } from './shapes.ts'

/** A field whose values can be counted. */
export interface CountedField {
  /** Name with dots, as in REST facets. */
  readonly name: string
  readonly type: FieldType
}

/** Returns the fields that aggregations count, by name, which has `__` for dots (portal.md 4.2). */
export function countedFields({
  dataset: name,
  isJoined,
}: Place): ReadonlyMap<string, CountedField> {
  const dataset = DATASETS[name]
  const resolver = createResolver(dataset)
  const found = new Map<string, CountedField>()
  const all = [...namesIn(dataset, ''), ...(isJoined ? joinedNames(dataset, resolver) : [])]
  for (const one of all) {
    const type = resolver.resolve(one)?.type
    if (type !== undefined) found.set(one.replaceAll('.', '__'), { name: one, type })
  }
  return found
}

function* namesIn(dataset: Dataset, prefix: string): Generator<string> {
  for (const [path] of fieldsOf(treeOf(dataset))) {
    const at = path.lastIndexOf('.') + 1
    for (const name of namesOf(path.slice(at))) yield prefix + path.slice(0, at) + name
  }
}

/** Yields the fields of other datasets that belong to cases or genes through their pairs. */
function* joinedNames({ name, related }: Dataset, { resolve }: Resolver): Generator<string> {
  if (name !== 'cases' && name !== 'genes') return
  for (const [other, path] of Object.entries(related)) {
    for (const one of namesIn(DATASETS[other as keyof typeof related], `${path}.`)) {
      if (resolve(one)) yield one
    }
  }
}
