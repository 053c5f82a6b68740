import { FollowingIndex } from '../full-text/following-index.ts'
import type { IndexedRecord, RecordQuery } from '../full-text/record.ts'
import { sourceOf } from './code-source.ts'
import type { CodeRepository, StoredCode } from './repository.ts'
import type { CodePage } from './search-request.ts'

interface CodeSearchOptions<T> {
  readonly repository: CodeRepository
  readonly indexed: (stored: StoredCode) => IndexedRecord
  /** Converts a stored record to the form that is returned to clients. */
  readonly describe: (stored: StoredCode, score?: number) => T
}

/** Searches the records of an area. It finds everything that any process stored before the call. */
export class CodeSearch<T> {
  readonly #repository: CodeRepository
  readonly #describe: CodeSearchOptions<T>['describe']
  readonly #index: FollowingIndex

  constructor({ repository, indexed, describe }: CodeSearchOptions<T>) {
    this.#repository = repository
    this.#describe = describe
    this.#index = new FollowingIndex(sourceOf(repository, indexed))
  }

  async page(query: RecordQuery): Promise<CodePage<T>> {
    const index = await this.#index.current()
    const { total, hits } = index.search(query)
    const found = await this.#repository.recordsOf(hits.map(({ id }) => id))
    const records = hits.flatMap(({ id, score }) => {
      const stored = found.get(id)
      return stored ? [this.#describe(stored, score)] : []
    })
    return { total, records }
  }
}
