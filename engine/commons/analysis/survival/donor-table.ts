import { countUp, sortedByRank } from '../../../shared/arrays/rank-sort.ts'

/**
 * All cases of a release that have a survival time, by time and then by id (data-commons.md 6.8). Shared
 * memory: it crosses to threads without being copied.
 */
export interface DonorTable {
  /** Days. */
  readonly times: Float64Array
  /** 1 for those who died, 0 for those who were last seen alive. */
  readonly deaths: Uint8Array
  /** Rows of their cases. */
  readonly rows: Uint32Array
  /** What their JSON ends with, from the comma before the id on. */
  readonly texts: Uint8Array
  /** Donors + 1 numbers: where the text of each begins. */
  readonly starts: Float64Array
}

/** Who has a time, in the order of the table. */
export type DonorTimes = Pick<DonorTable, 'times' | 'deaths' | 'rows'>

/** What is known of each case, by row; NaN for what is not. */
export interface CaseTimes {
  /** Days to death of those who died. */
  readonly death: Float64Array
  /** Days to the last time that those who live were seen. */
  readonly seen: Float64Array
}

/** Puts those who have a time in order. */
export function orderDonors({ death, seen }: CaseTimes): DonorTimes {
  const timeOf = (row: number) => {
    const time = death[row]!
    return Number.isNaN(time) ? seen[row]! : time
  }
  const known = countUp(0, death.length).filter((row) => !Number.isNaN(timeOf(row)))
  const distinct = Float64Array.from(new Set(Array.from(known, timeOf))).sort()
  const places = new Map(Array.from(distinct, (time, place) => [time, place]))
  const ranks = new Uint32Array(death.length)
  for (const row of known) ranks[row] = places.get(timeOf(row)) as number
  const sorted = sortedByRank(known, ranks, distinct.length)
  const rows = new Uint32Array(new SharedArrayBuffer(4 * sorted.length))
  rows.set(sorted)
  const times = new Float64Array(new SharedArrayBuffer(8 * rows.length))
  const deaths = new Uint8Array(new SharedArrayBuffer(rows.length))
  for (const [i, row] of rows.entries()) {
    times[i] = timeOf(row)
    deaths[i] = Number.isNaN(death[row]) ? 0 : 1
  }
  return { times, deaths, rows }
}
