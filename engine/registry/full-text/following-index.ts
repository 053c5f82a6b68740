import { LoopTurns } from '../../shared/concurrency/loop-turns.ts'
import type { RecordChange, RecordSource } from './record.ts'
import { RecordIndex } from './record-index.ts'

/** Maximum number of changes to collect before they are applied. If there are more, the index is rebuilt. */
const MAX_CHANGES = 10_000

/** Search index that follows a store which other processes also change. */
export class FollowingIndex {
  readonly #source: RecordSource
  /** The index has its own turns, because one read of changes serves all waiting callers. */
  readonly #turns = new LoopTurns()
  #index = new RecordIndex()
  /** The index includes all changes up to this revision. */
  #revision = 0
  /** The update in progress. */
  #running: Promise<RecordIndex> | undefined
  /** The update after it, which includes changes made since that one began. */
  #next: Promise<RecordIndex> | undefined

  constructor(source: RecordSource) {
    this.#source = source
  }

  /**
   * Returns the index with every change made before the call. Use it before the next await; afterwards, call
   * this again. Reading changes yields to the event loop, and all waiting callers share it. If the source
   * throws, the error is passed on, the index stays as it was, and the next call retries.
   * @param revision of the store, if the caller has just read it, which saves a query
   */
  async current(revision?: number): Promise<RecordIndex> {
    if (!this.#running) return revision === this.#revision ? this.#index : this.#run()
    // The running update may have started before a change that the caller has seen.
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
    // A lower revision means that an older copy of the store was restored.
    const isKnown = this.#revision > 0 && this.#revision < revision
    const changes = isKnown ? await this.#changes() : undefined
    if (changes) await apply(changes, this.#index, this.#turns)
    else this.#index = await apply(this.#source.changesSince(0), new RecordIndex(), this.#turns)
    this.#revision = revision
    return this.#index
  }

  /** Returns the changes that the index does not have yet, or undefined if there are too many. */
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
