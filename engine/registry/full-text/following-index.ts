import { LoopTurns } from '../../shared/concurrency/loop-turns.ts'
import type { RecordChange, RecordSource } from './record.ts'
import { RecordIndex } from './record-index.ts'

/** Changes buffered before they are applied. If there are more, the index is rebuilt. */
const MAX_CHANGES = 10_000

/** Search index that follows a store which other processes also change. */
export class FollowingIndex {
  readonly #source: RecordSource
  /** Own turns, because one read serves all waiting callers. */
  readonly #turns = new LoopTurns()
  #index = new RecordIndex()
  /** The index includes all changes up to this revision. */
  #revision = 0
  #running: Promise<RecordIndex> | undefined
  #next: Promise<RecordIndex> | undefined

  constructor(source: RecordSource) {
    this.#source = source
  }

  /**
   * Returns the index with every change made before the call. Use it without awaiting anything in between,
   * otherwise call it again. Reading yields to the event loop and is shared by all waiting callers. If the source
   * throws, the error is passed on, the index stays as it was, and the next call retries.
   * @param revision of the store, if the caller has just read it; it is not queried again then
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

  /** Returns the changes that are missing from the index, or undefined if there are too many. */
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
