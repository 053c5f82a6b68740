import type { DatasetName } from '../datasets/define.ts'
import { setKey } from '../release/layout.ts'
import type { ArrayKey } from '../release/loaded.ts'

/**
 * Value of a filter that refers to a stored set at one version. A changed set has a new version. Only the
 * store of sets creates instances, so a client cannot forge one. Cache keys include the set's id and version.
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
