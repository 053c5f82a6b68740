import type { Scratch } from '../../../shared/executor.ts'
import { exactLog } from './log-table.ts'
import { ABSENT, FIXED_SCALE, type MatrixValues } from './matrix-format.ts'
import { medianLog } from './unit-values.ts'

/** Lower bound of log2(value + 1), with the smallest stored value that is at least the bound. */
export interface MedianFloor {
  readonly log: number
  readonly fixed: number
}

export function medianFloor(log: number): MedianFloor {
  if (log <= 0) return { log, fixed: 0 }
  let fixed = Math.ceil((2 ** log - 1) * FIXED_SCALE)
  if (fixed >= ABSENT) return { log, fixed }
  // The power is rounded, so neighbours are compared by their logarithms.
  while (fixed > 0 && exactLog(fixed - 1) >= log) fixed--
  while (exactLog(fixed) < log) fixed++
  return { log, fixed }
}

/**
 * Returns whether the median of log2(value + 1) over a row is at least the bound. If exactly half of the values
 * are at least the bound, the median is the mean of one value below it and one value above it.
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
