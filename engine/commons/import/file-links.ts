import type { JsonObject } from '../../shared/input/json-value.ts'
import { SortedRows } from './sorted-rows.ts'
import type { Staging } from './staging.ts'

/** `place` and `length` locate the JSON of the file's samples in the spool. Both are null without samples. */
const LINKS = 'SELECT file_id, case_id, place, length FROM settled_links ORDER BY file_id, case_id'

/** The cases of each file and, for each case, the samples that the file was made from. */
export class FileLinks {
  readonly #staging: Staging
  readonly #rows: SortedRows

  constructor(staging: Staging) {
    this.#staging = staging
    this.#rows = new SortedRows(staging.database, LINKS)
  }

  /** Adds the cases of a file to its record. Must be called for every file with cases, in ascending order of ids. */
  async addTo(file: JsonObject, id: string): Promise<void> {
    const cases: JsonObject[] = []
    for await (const batch of this.#rows.of(id)) {
      for (const [, caseId, offset, length] of batch) {
        const link: JsonObject = { case_id: String(caseId) }
        if (offset !== null) {
          const place = { offset: Number(offset), length: Number(length) }
          link.samples = JSON.parse(this.#staging.spool.read(place))
        }
        cases.push(link)
      }
    }
    if (cases.length > 0) file.cases = cases
  }

  /** Returns whether a file has cases. Must be called in ascending order of file ids, before `addTo`. */
  has(id: string): Promise<boolean> {
    return this.#rows.isAt(id)
  }

  /**
   * Checks that every file with cases was passed to `addTo`.
   * @throws Error if a link is left over, which would otherwise be lost silently
   */
  async proveUsed(): Promise<void> {
    if (!(await this.#rows.isAtEnd())) throw new Error('a file that has cases has no record')
  }

  async close(): Promise<void> {
    await this.#rows.close()
  }
}
