import type { Executor } from '../../../shared/executor.ts'
import type { Release } from '../../release/release.ts'
import { caseRowsOf } from './case-rows.ts'
import { type Matrix, openMatrix } from './open-matrix.ts'

/** The matrix of a release, and what is asked of both again and again. */
export interface ReleaseMatrix {
  readonly matrix: Matrix
  readonly release: Release
  /** By column: the row of its case; made when it is first asked for. */
  caseRows(): Promise<Int32Array>
}

/** Matrices of releases that are open. Each is read when it is first asked for, and once. */
export class Matrices {
  readonly #executor: Executor
  readonly #memoryBytes: number
  /** A matrix goes when its release does: nothing else holds it. */
  readonly #opened = new WeakMap<Release, Promise<ReleaseMatrix>>()

  /** @param memoryBytes of the values of one matrix; a larger one is read again and again */
  constructor(executor: Executor, memoryBytes: number) {
    this.#executor = executor
    this.#memoryBytes = memoryBytes
  }

  /**
   * The matrix of a release that is leased; `undefined` when it has none.
   * @throws EngineError corrupt_source naming the file, busy, unavailable
   */
  async of(release: Release): Promise<ReleaseMatrix | undefined> {
    const known = this.#opened.get(release)
    if (known) return known
    if (!release.expression()) return undefined
    const opening = this.#open(release)
    this.#opened.set(release, opening)
    // A failure is not remembered.
    opening.catch(() => this.#opened.delete(release))
    return opening
  }

  /** Who asked first may leave; others wait for the same. */
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
