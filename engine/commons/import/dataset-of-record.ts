import type { Dataset, DatasetName } from '../datasets/define.ts'
import { DATASETS } from '../datasets/index.ts'
import { canonicalPath } from '../datasets/resolve.ts'

/**
 * Returns the datasets whose ids may occur in a dataset's records, because the records link to them directly or
 * indirectly.
 */
function linkedFrom(dataset: Dataset): ReadonlySet<DatasetName> {
  const linked = new Set<DatasetName>()
  const follow = ({ mounts, joins }: Dataset) => {
    for (const { kind, dataset: other } of [...mounts, ...joins]) {
      if (kind !== 'link' || linked.has(other)) continue
      linked.add(other)
      follow(DATASETS[other])
    }
  }
  follow(dataset)
  return linked
}

/** Returns the datasets in the given order, except that each comes before the datasets to which its records link. */
export function beforeLinked(datasets: readonly Dataset[]): readonly Dataset[] {
  const linked = new Map(datasets.map((one) => [one, linkedFrom(one)]))
  const ordered = new Set<Dataset>()
  while (ordered.size < datasets.length) {
    const left = datasets.filter((one) => !ordered.has(one))
    const isFree = ({ name }: Dataset) =>
      left.every((other) => other.name === name || !linked.get(other)?.has(name))
    // If the links form a cycle, the first dataset that is left comes next.
    const [first] = left
    const next = left.find(isFree) ?? first
    if (next) ordered.add(next)
  }
  return [...ordered]
}

/** All datasets, each before those to which its records link. The first that fits is that of a record. */
const RECOGNISED = beforeLinked(Object.values(DATASETS))

/**
 * Returns the dataset of a record from the names of its members, or undefined if they do not identify it. Tries
 * in this order:
 * 1. The id field of a dataset. A record may also contain the ids of records to which it links, so of several
 *    datasets the one that links to the others counts. A member that only one dataset has (`recognisedBy`)
 *    overrules the id of a dataset to which that one links: `md5sum` with `case_id` is a file.
 * 2. A member that only one dataset has.
 * 3. If the record has `id`: the only dataset that has all of its members.
 */
export function datasetOfMembers(names: ReadonlySet<string>): DatasetName | undefined {
  const isOf = ({ recognisedBy }: Dataset) => recognisedBy.some((name) => names.has(name))
  const byId = RECOGNISED.find(({ idField }) => names.has(idField))
  if (byId) {
    if (isOf(byId)) return byId.name
    const linking = RECOGNISED.find((one) => isOf(one) && linkedFrom(one).has(byId.name))
    return (linking ?? byId).name
  }
  const byMember = RECOGNISED.find(isOf)
  if (byMember) return byMember.name
  if (!names.has('id')) return undefined
  const fitting = Object.values(DATASETS).filter(({ fields }) =>
    [...names].every((name) => name === 'id' || Object.hasOwn(fields, name)),
  )
  return fitting.length === 1 ? fitting[0]?.name : undefined
}

/** Returns whether at least half of a record's members are fields of the dataset. */
export function isMostlyKnown(dataset: DatasetName, names: readonly string[]): boolean {
  const { fields, hidden } = DATASETS[dataset]
  const isKnown = (name: string) =>
    name === 'id' || [fields, hidden].some((tree) => Object.hasOwn(tree, canonicalPath(name)))
  return names.filter(isKnown).length * 2 >= names.length
}
