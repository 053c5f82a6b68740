import { LoopTurns } from '../../shared/concurrency/loop-turns.ts'
import type { RecordChange, RecordSource } from './record.ts'
import { RecordIndex } from './record-index.ts'

/** Changes that are held in memory until all are read; when there are more, all is read anew. */
const MAX_CHANGES = 10_000

/** An index that keeps in step with a store that other processes change as well. */
export class FollowingIndex {
  readonly #source: RecordSource
  /** Its own: it is read once for all who wait. */
  readonly #turns = new LoopTurns()
  #index = new RecordIndex()
  /** The index has all changes up to this one. */
  #revision = 0
  #running: Promise<RecordIndex> | undefined
  #next: Promise<RecordIndex> | undefined

  constructor(source: RecordSource) {
    this.#source = source
  }

  /**
   * The index with all that was changed before the call. It is good for what is done without waiting;
   * whoever has waited asks again. Reading leaves pauses, and is done once for all who wait for it.
   * What the source throws is thrown on; the index stays as it was, and the next call tries again.
   * @param revision of the store, where the caller has just read it: then it is not asked again
   */
  async current(revision?: number): Promise<RecordIndex> {
    if (!this.#running) return revision === this.#revision ? this.#index : this.#run()
    // What is running may have begun before a change that the caller knows of.
    this.#next ??= this.#running
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined
        return this.#run()
      })
    return this.#next
  }

  #run(): Promise<RecordIndex> {
    this.#running = this.#follow().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  async #follow(): Promise<RecordIndex> {
    const revision = await this.#source.revision()
    if (revision === this.#revision) return this.#index
    // A revision that goes back is that of an older copy of the store.
    const isKnown = this.#revision > 0 && this.#revision < revision
    const changes = isKnown ? await this.#changes() : undefined
    if (changes) await apply(changes, this.#index, this.#turns)
    else this.#index = await apply(this.#source.changesSince(0), new RecordIndex(), this.#turns)
    this.#revision = revision
    return this.#index
  }

  /** All changes that are not in the index yet; undefined when they are too many. */
  async #changes(): Promise<RecordChange[] | undefined> {
    const changes: RecordChange[] = []
    for await (const change of this.#source.changesSince(this.#revision)) {
      if (changes.length === MAX_CHANGES) return undefined
      changes.push(change)
      await this.#turns.pause()
    }
    return changes
  }
}

async function apply(
  changes: Iterable<RecordChange> | AsyncIterable<RecordChange>,
  index: RecordIndex,
  turns: LoopTurns,
): Promise<RecordIndex> {
  for await (const { id, record } of changes) {
    if (record) index.put(record)
    else index.delete(id)
    await turns.pause()
  }
  await turns.run(index.settle())
  return index
}
