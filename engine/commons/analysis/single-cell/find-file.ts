import { EngineError } from '../../../shared/errors.ts'
import { type Executor, Scratch } from '../../../shared/executor.ts'
import { datasetOf } from '../../datasets/index.ts'
import { createResolver } from '../../datasets/resolver.ts'
import { sortKeys } from '../../datasets/select.ts'
import { parseFilterOn } from '../../query/filter.ts'
import type { Query } from '../../query/query.ts'
import type { Release } from '../../release/release.ts'
import { answerQuery } from '../../search/answer-query.ts'
import { readRecords } from '../../search/read-records.ts'
import { Selections } from '../../search/selections.ts'

interface FindContext {
  readonly release: Release
  readonly executor: Executor
  readonly signal?: AbortSignal | undefined
}

/** Finds the single-cell file of a case, and the case of such a file. */
export class CaseFiles {
  readonly #files = datasetOf('files')
  readonly #resolver = createResolver(this.#files)
  readonly #selections = new Selections()
  readonly #scratch = new Scratch()

  /**
   * Returns the id of the newest released HDF5 file of a case (data-commons.md 6.5). Of several equally new
   * files, the one with the lowest id is returned.
   * @throws EngineError not_found for an unknown case or a case without such a file
   */
  async fileOf(caseId: string, { release, executor, signal }: FindContext): Promise<string> {
    const reported = caseId.slice(0, 80)
    if ((await release.find('cases', caseId)) === undefined) {
      throw new EngineError('not_found', `there is no case with the case_id "${reported}"`)
    }
    const filter = parseFilterOn('files', this.#resolver.resolveFilter, {
      op: 'and',
      content: [
        { op: '=', content: { field: 'cases.case_id', value: caseId } },
        { op: '=', content: { field: 'data_format', value: 'HDF5' } },
        {
          op: 'or',
          content: [
            { op: '=', content: { field: 'state', value: 'released' } },
            { op: 'is', content: { field: 'state', value: 'missing' } },
          ],
        },
      ],
    })
    const sort = sortKeys(this.#files, ['updated_datetime:desc', 'file_id:asc'])
    const query: Query = { dataset: 'files', filter, facets: [], sort, from: 0, size: 1 }
    const { rows } = await answerQuery(query, release, executor, { signal })
    const [hit] = await this.#read(['file_id'], rows, release)
    if (typeof hit?.file_id === 'string') return hit.file_id
    throw new EngineError('not_found', `the case "${reported}" has no single-cell file`)
  }

  /** Returns the id of the first case of a file. Null if the file has no case. */
  async caseOf(fileId: string, { release }: FindContext): Promise<string | null> {
    const row = await release.find('files', fileId)
    if (row === undefined) return null
    const [hit] = await this.#read(['cases.case_id'], Uint32Array.of(row), release)
    const [first] = [hit?.cases].flat() as { readonly case_id?: unknown }[]
    return typeof first?.case_id === 'string' ? first.case_id : null
  }

  #read(fields: readonly string[], rows: Uint32Array, release: Release) {
    const { projection } = this.#selections.of(this.#files, { fields }, 'list')
    return readRecords(projection, rows, { release, scratch: this.#scratch })
  }
}
