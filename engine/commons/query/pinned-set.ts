import type { DatasetName } from '../datasets/define.ts'
import type { FieldPath } from '../datasets/field-path.ts'
import { datasetOf } from '../datasets/index.ts'
import { partsOfSetKey, setKey } from '../release/layout.ts'
import type { ArrayKey } from '../release/loaded.ts'

/**
 * Filter value that refers to one version of a stored set. A changed set gets a new version. Only the store of
 * sets creates instances, so a client cannot forge one. Cache keys include the set's id and version.
 */
export class PinnedSet {
  readonly id: string
  readonly dataset: DatasetName
  readonly version: number

  constructor(id: string, dataset: DatasetName, version: number) {
    this.id = id
    this.dataset = dataset
    this.version = version
    Object.freeze(this)
  }

  /** Key of the array with the rows of the set's members. */
  get key(): ArrayKey {
    return setKey(this.dataset, this.id, this.version)
  }
}

/** Returns the id column of the records in the set with this key. */
export function idColumnOf(key: ArrayKey): FieldPath['column'] {
  const { dataset } = partsOfSetKey(key)
  return { dataset, path: datasetOf(dataset).idField }
}

/** Returns whether a field holds the ids of the records that contain the field. */
export const isOwnId = ({ column: { dataset, path } }: FieldPath): boolean =>
  path === datasetOf(dataset).idField

/** Fields that are named like ids of this data model but hold ids of another database. */
const FOREIGN: ReadonlySet<string> = new Set(['clinical_annotations.civic.gene_id'])

/**
 * Returns whether a field holds ids of a dataset's records. It may be the records' own id, or ids in other
 * records, such as genes in the consequences of a mutation.
 */
export function holdsIdsOf(dataset: DatasetName, { column }: FieldPath): boolean {
  const { idField } = datasetOf(dataset)
  if (column.path === idField) return true
  return column.path.endsWith(`.${idField}`) && !FOREIGN.has(column.path)
}
