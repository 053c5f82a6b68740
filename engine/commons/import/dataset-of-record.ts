import type { DatasetName } from '../datasets/define.ts'
import { DATASETS } from '../datasets/index.ts'
import { canonicalPath } from '../datasets/resolve.ts'

const RECOGNISED = Object.values(DATASETS).toSorted(
  (one, other) => one.recognition.order - other.recognition.order,
)

/**
 * The dataset that a record belongs to, by the names of its members: its typed id, a member that only
 * one dataset has, or fields that only one has all of; `undefined` when none of them decides.
 */
export function datasetOfMembers(names: ReadonlySet<string>): DatasetName | undefined {
  const recognised =
    RECOGNISED.find(({ idField }) => names.has(idField)) ??
    RECOGNISED.find(({ recognition }) => recognition.members.some((name) => names.has(name)))
  if (recognised) return recognised.name
  if (!names.has('id')) return undefined
  const fitting = Object.values(DATASETS).filter(({ fields }) =>
    [...names].every((name) => name === 'id' || Object.hasOwn(fields, name)),
  )
  return fitting.length === 1 ? fitting[0]?.name : undefined
}

/** Whether at least half of a record's members are fields of the dataset. */
export function isMostlyKnown(dataset: DatasetName, names: readonly string[]): boolean {
  const { fields, hidden } = DATASETS[dataset]
  const isKnown = (name: string) =>
    name === 'id' || [fields, hidden].some((tree) => Object.hasOwn(tree, canonicalPath(name)))
  return names.filter(isKnown).length * 2 >= names.length
}
