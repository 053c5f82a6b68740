import type { NearNames } from '../../shared/input/near-name.ts'
import type { Dataset } from './define.ts'
import type { FieldPath } from './field-path.ts'
import { nearestCaseField, nearestField } from './near-field.ts'
import { resolveCaseField, resolveRelated } from './related.ts'
import { resolveField } from './resolve.ts'

/** Resolves the field names of requests on one dataset (data-commons.md 1.2). */
export interface Resolver {
  /** Resolves a name in facets. */
  resolve(name: string): FieldPath | undefined
  /** Resolves a name in filters, where the dataset's own name may be a prefix. */
  resolveFilter(name: string): FieldPath | undefined
  /** Resolves a name in cohort filters, which use the names of cases. */
  resolveCase(name: string): FieldPath | undefined
  /** Suggests a name for a name that `resolve` does not find. */
  nearest(name: string, near: NearNames): string | undefined
  /** Suggests a name for a name that `resolveCase` does not find. */
  nearestCase(name: string, near: NearNames): string | undefined
}

/** Creates a resolver that caches the fields it has found. */
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

/** Caches found fields only, so that unknown names cannot fill memory. */
function remembering(resolve: Resolver['resolve']): Resolver['resolve'] {
  const known = new Map<string, FieldPath>()
  return (name) => {
    const found = known.get(name) ?? resolve(name)
    if (found) known.set(name, found)
    return found
  }
}
