import type { Executor } from '../../../shared/executor.ts'
import type { Release } from '../../release/release.ts'
import { caseRowsOf } from './case-rows.ts'
import { type Matrix, openMatrix } from './open-matrix.ts'

/** Expression matrix of a release, with a cached mapping from columns to cases. */
export interface ReleaseMatrix {
  readonly matrix: Matrix
  readonly release: Release
  /** Returns the row of the case in the release for each column, computed on first use. */
  caseRows(): Promise<Int32Array>
}

/** Expression matrices of the open releases. Each is read once, on first use. */
export class Matrices {
  readonly #executor: Executor
  readonly #memoryBytes: number
  /** Matrices by release. Weak keys, so that a matrix is freed together with its release. */
  readonly #opened = new WeakMap<Release, Promise<ReleaseMatrix>>()

  /** @param memoryBytes memory limit for the values of one matrix; a larger one is read in pages */
  constructor(executor: Executor, memoryBytes: number) {
    this.#executor = executor
    this.#memoryBytes = memoryBytes
  }

  /**
   * Returns the expression matrix of a release, or undefined if the release has none. The caller must hold the
   * release open.
   * @throws EngineError corrupt_source naming the file, busy, unavailable
   */
  async of(release: Release): Promise<ReleaseMatrix | undefined> {
    const known = this.#opened.get(release)
    if (known) return known
    if (!release.expression()) return undefined
    const opening = this.#open(release)
    this.#opened.set(release, opening)
    // A failure to open is not cached.
    opening.catch(() => this.#opened.delete(release))
    return opening
  }

  /** The release is retained, because the first caller may release it while other callers still wait. */
  async #open(release: Release): Promise<ReleaseMatrix> {
    const lease = release.retain()
    try {
      const file = release.expression()
      if (!file) throw new Error('the release has no expression')
      const matrix = await openMatrix(file, this.#executor, this.#memoryBytes)
      let rows: Promise<Int32Array> | undefined
      const caseRows = () => {
        rows ??= caseRowsOf(matrix, release)
        return rows
      }
      return { matrix, release, caseRows }
    } finally {
      lease.release()
    }
  }
}
