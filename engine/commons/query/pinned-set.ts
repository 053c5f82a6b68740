import type { DatasetName } from '../datasets/define.ts'
import { setKey } from '../release/layout.ts'
import type { ArrayKey } from '../release/loaded.ts'

/**
 * A version of a stored set in the place of a filter's value. Later changes of the set make new versions.
 * Only the store of sets creates instances, so no text from a client can stand for one. Cache keys include
 * the set's id and version.
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

  /** Key by which a release loads the rows of the set. */
  get key(): ArrayKey {
    return setKey(this.dataset, this.id, this.version)
  }
}
