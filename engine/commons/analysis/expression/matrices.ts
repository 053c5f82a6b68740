import type { Executor } from '../../../shared/executor.ts'
import type { Release } from '../../release/release.ts'
import { caseRowsOf } from './case-rows.ts'
import { type Matrix, openMatrix } from './open-matrix.ts'

/** The matrix of a release, with cached lookups. */
export interface ReleaseMatrix {
  readonly matrix: Matrix
  readonly release: Release
  /** Returns the row of each column's case, computed on first use. */
  caseRows(): Promise<Int32Array>
}

/** Matrices of open releases. Each is read once, on first use. */
export class Matrices {
  readonly #executor: Executor
  readonly #memoryBytes: number
  /** The only reference to a matrix, so it is freed with its release. */
  readonly #opened = new WeakMap<Release, Promise<ReleaseMatrix>>()

  /** @param memoryBytes memory for the values of one matrix; a larger one is paged */
  constructor(executor: Executor, memoryBytes: number) {
    this.#executor = executor
    this.#memoryBytes = memoryBytes
  }

  /**
   * Returns the matrix of a leased release, or undefined if it has none.
   * @throws EngineError corrupt_source naming the file, busy, unavailable
   */
  async of(release: Release): Promise<ReleaseMatrix | undefined> {
    const known = this.#opened.get(release)
    if (known) return known
    if (!release.expression()) return undefined
    const opening = this.#open(release)
    this.#opened.set(release, opening)
    // Failures are not cached.
    opening.catch(() => this.#opened.delete(release))
    return opening
  }

  /** Holds a lease of its own, since the first caller may leave while others wait. */
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
