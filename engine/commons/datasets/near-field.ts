import type { NearNames } from '../../shared/input/near-name.ts'
import type { Dataset } from './define.ts'
import { DATASETS } from './index.ts'
import { relatedName, resolveCaseField, resolveRelated } from './related.ts'
import { fieldsOf } from './tree.ts'

/**
 * Suggests a field for an unknown name: a name that lacks the dataset's prefix, has a mistyped part, or is only
 * the last part of a path.
 *
 * @example nearField('sample_typ', files, near) // 'cases.samples.sample_type'
 */
export function nearField(name: string, dataset: Dataset, near: NearNames): string | undefined {
  const paths = [dataset.fields, dataset.hidden].flatMap((tree) =>
    Array.from(fieldsOf(tree), ([path]) => path),
  )
  return nearPath(name, dataset, paths, near)
}

/** Suggests a group that `expand` accepts, as `nearField` suggests fields. */
export function nearGroup(name: string, dataset: Dataset, near: NearNames): string | undefined {
  return nearPath(name, dataset, dataset.expand, near)
}

/**
 * Suggests a field as `nearField` does, of related datasets too.
 *
 * @example nearestField(files, 'genes.symbl', near) // 'genes.symbol'
 */
export function nearestField(dataset: Dataset, name: string, near: NearNames): string | undefined {
  return relatedField(dataset, name, near) ?? nearField(name, dataset, near)
}

function relatedField(dataset: Dataset, name: string, near: NearNames): string | undefined {
  const dot = name.indexOf('.')
  const first = name.slice(0, Math.max(dot, 0))
  const other = relatedName(first)
  // A group of the dataset itself is handled by nearField.
  if (!other || other === dataset.name || Object.hasOwn(dataset.fields, first)) return undefined
  const found = nearField(name.slice(dot + 1), DATASETS[other], near)
  const whole = `${first}.${found}`
  return found !== undefined && resolveRelated(dataset, whole) ? whole : undefined
}

/** Suggests a field of cases for a name in a filter on cases, if the dataset can resolve it. */
export function nearestCaseField(
  dataset: Dataset,
  name: string,
  near: NearNames,
): string | undefined {
  const found = nearestField(DATASETS.cases, name.replace(/^cases?\./, ''), near)
  return found !== undefined && resolveCaseField(dataset, found) ? found : undefined
}

function nearPath(
  name: string,
  { name: prefix }: Dataset,
  paths: readonly string[],
  near: NearNames,
): string | undefined {
  const own = name.startsWith(`${prefix}.`) ? name.slice(prefix.length + 1) : name
  if (paths.includes(own)) return own
  const [parent, last] = partsOf(own)
  const siblings = byLast(paths.filter((path) => partsOf(path)[0] === parent))
  const sibling = siblings.get(near.of(last, siblings.keys()) ?? '')
  if (sibling !== undefined) return sibling
  // Paths share long prefixes, so only paths with the same last part are compared as a whole.
  const alike = near.of(
    own,
    paths.filter((path) => partsOf(path)[1] === last),
  )
  if (alike !== undefined) return alike
  const all = byLast(paths.toSorted((one, other) => depthOf(one) - depthOf(other)))
  // If the parent is another, a similar last part belongs to a different field.
  return all.get(last) ?? (parent === '' ? all.get(near.of(last, all.keys()) ?? '') : undefined)
}

/**
 * Splits a path at its last dot.
 * @example partsOf('cases.samples.sample_type') // ['cases.samples', 'sample_type']
 */
function partsOf(path: string): readonly [parent: string, last: string] {
  const dot = path.lastIndexOf('.')
  return [path.slice(0, Math.max(dot, 0)), path.slice(dot + 1)]
}

/** Returns paths keyed by their last part. The first of several wins. */
function byLast(paths: readonly string[]): ReadonlyMap<string, string> {
  return new Map(paths.toReversed().map((path) => [partsOf(path)[1], path]))
}

const depthOf = (path: string) => path.split('.').length
