import type { NearNames } from '../../shared/input/near-name.ts'
import type { Dataset } from './define.ts'
import type { FieldPath } from './field-path.ts'
import { nearestCaseField, nearestField } from './near-field.ts'
import { resolveCaseField, resolveRelated } from './related.ts'
import { resolveField } from './resolve.ts'

/** Finds the fields of one dataset by the names that requests give them (data-commons.md 1.2). */
export interface Resolver {
  /** For facets. */
  resolve(name: string): FieldPath | undefined
  /** For filters: the dataset's own name may stand in front. */
  resolveFilter(name: string): FieldPath | undefined
  /** For filters on cases: names are those of cases. */
  resolveCase(name: string): FieldPath | undefined
  /** The name that was meant by one that `resolve` does not know. */
  nearest(name: string, near: NearNames): string | undefined
  /** The name that was meant by one that `resolveCase` does not know. */
  nearestCase(name: string, near: NearNames): string | undefined
}

/** It remembers the fields that were asked for. */
export function createResolver(dataset: Dataset): Resolver {
  const own = `${dataset.name}.`
  const resolve = (name: string) => resolveField(dataset, name) ?? resolveRelated(dataset, name)
  return {
    resolve: remembering(resolve),
    resolveFilter: remembering((name) =>
      resolve(name.startsWith(own) ? name.slice(own.length) : name),
    ),
    resolveCase: remembering((name) => resolveCaseField(dataset, name)),
    nearest: (name, near) => nearestField(dataset, name, near),
    nearestCase: (name, near) => nearestCaseField(dataset, name, near),
  }
}

/** Only fields are remembered, so that unknown names take no memory. */
function remembering(resolve: Resolver['resolve']): Resolver['resolve'] {
  const known = new Map<string, FieldPath>()
  return (name) => {
    const found = known.get(name) ?? resolve(name)
    if (found) known.set(name, found)
    return found
  }
}
