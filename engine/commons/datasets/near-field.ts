import type { NearNames } from '../../shared/input/near-name.ts'
import type { Dataset } from './define.ts'
import { DATASETS } from './index.ts'
import { relatedName, resolveCaseField, resolveRelated } from './related.ts'
import { fieldsOf } from './tree.ts'

/**
 * The field that was meant by a name that is none: without the dataset's own prefix, with a part
 * mistyped, or called by its last part alone.
 *
 * @example nearField('sample_typ', files, near) // 'cases.samples.sample_type'
 */
export function nearField(name: string, dataset: Dataset, near: NearNames): string | undefined {
  const paths = [dataset.fields, dataset.hidden].flatMap((tree) =>
    Array.from(fieldsOf(tree), ([path]) => path),
  )
  return nearPath(name, dataset, paths, near)
}

/** As `nearField`, of a group that `expand` takes. */
export function nearGroup(name: string, dataset: Dataset, near: NearNames): string | undefined {
  return nearPath(name, dataset, dataset.expand, near)
}

/**
 * As `nearField`, of fields of other datasets too.
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
  // What is the dataset's own group is looked for there.
  if (!other || other === dataset.name || Object.hasOwn(dataset.fields, first)) return undefined
  const found = nearField(name.slice(dot + 1), DATASETS[other], near)
  const whole = `${first}.${found}`
  return found !== undefined && resolveRelated(dataset, whole) ? whole : undefined
}

/** The field of cases that was meant by a name in a filter on cases, if the dataset has it. */
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
  // Paths have long beginnings in common: what is called otherwise at its end is not meant.
  const alike = near.of(
    own,
    paths.filter((path) => partsOf(path)[1] === last),
  )
  if (alike !== undefined) return alike
  const all = byLast(paths.toSorted((one, other) => depthOf(one) - depthOf(other)))
  // What stands elsewhere under a name that is merely alike is another thing.
  return all.get(last) ?? (parent === '' ? all.get(near.of(last, all.keys()) ?? '') : undefined)
}

/** @example partsOf('cases.samples.sample_type') // ['cases.samples', 'sample_type'] */
function partsOf(path: string): readonly [parent: string, last: string] {
  const dot = path.lastIndexOf('.')
  return [path.slice(0, Math.max(dot, 0)), path.slice(dot + 1)]
}

/** Paths by their last parts, of several the first one. */
function byLast(paths: readonly string[]): ReadonlyMap<string, string> {
  return new Map(paths.toReversed().map((path) => [partsOf(path)[1], path]))
}

const depthOf = (path: string) => path.split('.').length
