import { ABSENT } from '../../analysis/expression/matrix-format.ts'
import { isNoNumber } from '../cells.ts'
import type { CellScanner } from './cell-scanner.ts'
import { doubleOf, NEEDS_DOUBLE, NO_VALUE, readDecimal } from './decimal.ts'
import { type IssueList, noNumber } from './issue-list.ts'
import { fromLog2p1, type Scale } from './units.ts'

/** Reads cells with values. Counts cells that have none. */
export class ValueReader {
  readonly issues: IssueList
  /** Number of cells with a word for a missing value, keyed by cell index. */
  readonly empty = new Map<number, number>()
  /** Number of cells without a value for any reason, keyed by cell index. */
  readonly missing = new Map<number, number>()
  /** Value of the last `read` that returned NEEDS_DOUBLE. */
  double = 0
  readonly #scanner: CellScanner
  readonly #isLogarithm: boolean

  constructor(scanner: CellScanner, issues: IssueList, scale: Scale) {
    this.#scanner = scanner
    this.issues = issues
    this.#isLogarithm = scale === 'log2p1'
  }

  /** Returns ten-thousandths, ABSENT for a missing value, or NEEDS_DOUBLE. */
  read(cell: number): number {
    const scanner = this.#scanner
    const start = scanner.start(cell)
    const end = scanner.end(cell)
    const fixed = readDecimal(scanner.bytes, start, end)
    if (fixed >= 0 && !this.#isLogarithm) return fixed
    if (fixed === NO_VALUE) return this.#noValue(cell)
    const read = doubleOf(scanner.bytes, start, end)
    this.double = this.#isLogarithm ? fromLog2p1(read) : read
    return this.double === Number.POSITIVE_INFINITY ? this.#noValue(cell) : NEEDS_DOUBLE
  }

  #noValue(cell: number): number {
    const text = this.#scanner.text(cell)
    count(this.missing, cell)
    if (isNoNumber(text)) count(this.empty, cell)
    else this.issues.add(this.#scanner.line, noNumber(text), cell)
    return ABSENT
  }
}

const count = (counts: Map<number, number>, cell: number) =>
  counts.set(cell, (counts.get(cell) ?? 0) + 1)
