import type { Scratch } from '../../../shared/executor.ts'
import { exactLog } from './log-table.ts'
import { ABSENT, FIXED_SCALE, type MatrixValues } from './matrix-format.ts'
import { medianLog } from './unit-values.ts'

/** Lower bound of a median. */
export interface MedianFloor {
  /** The bound as log2(value + 1). */
  readonly log: number
  /**
   * The smallest value in a fixed matrix (an integer, scaled by FIXED_SCALE) whose log2(value + 1) reaches `log`.
   * Only for fixed matrices.
   */
  readonly fixed: number
}

/** @param log the bound as log2(value + 1) */
export function medianFloor(log: number): MedianFloor {
  // Every value reaches the bound, as none is negative.
  if (log <= 0) return { log, fixed: 0 }
  let fixed = Math.ceil((2 ** log - 1) * FIXED_SCALE)
  // No value that can be stored reaches the bound.
  if (fixed >= ABSENT) return { log, fixed }
  // The power is rounded, so the result may be off by some steps. exactLog decides.
  while (fixed > 0 && exactLog(fixed - 1) >= log) fixed--
  while (exactLog(fixed) < log) fixed++
  return { log, fixed }
}

/**
 * Returns whether the median of log2(value + 1) over a row is at least the bound. If exactly half of the values
 * are at least the bound, the median is the mean of one value below it and one at or above it, so it is computed.
 */
export function reachesFloor(row: MatrixValues, floor: MedianFloor, scratch: Scratch): boolean {
  const { present, reaching } =
    row instanceof Uint32Array ? countFixed(row, floor.fixed) : countDoubles(row, floor.log)
  if (2 * reaching !== present) return 2 * reaching > present
  return present > 0 && medianLog(row, scratch) >= floor.log
}

/** Counts without branches, which takes a quarter of the time because the values are unpredictable. */
function countFixed(row: Uint32Array, least: number) {
  let absent = 0
  let reaching = 0
  for (let i = 0; i < row.length; i++) {
    const value = row[i]!
    if (value === ABSENT) absent++
    reaching += Number(value >= least)
  }
  // ABSENT is the largest 32-bit number, so missing values were counted as reaching the bound.
  return { present: row.length - absent, reaching: reaching - (least <= ABSENT ? absent : 0) }
}

function countDoubles(row: Float64Array, least: number) {
  let present = 0
  let reaching = 0
  for (let i = 0; i < row.length; i++) {
    const value = row[i]!
    if (Number.isNaN(value)) continue
    present++
    if (Math.log2(value + 1) >= least) reaching++
  }
  return { present, reaching }
}
