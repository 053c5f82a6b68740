import type { DatasetName } from '../datasets/define.ts'
import { setKey } from '../release/layout.ts'
import type { ArrayKey } from '../release/loaded.ts'

/**
 * A stored set in the place of a filter's value, as it was at one moment: what a set is changed to later is
 * another version. Made by the store of sets alone, so that no text of a client stands for one. Its members
 * are part of what answers are cached by.
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

  /** By which a release gives its rows. */
  get key(): ArrayKey {
    return setKey(this.dataset, this.id, this.version)
  }
}
