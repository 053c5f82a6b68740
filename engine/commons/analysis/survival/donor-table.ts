import { countUp, sortedByRank } from '../../../shared/arrays/rank-sort.ts'

/**
 * All cases of a release with a survival time, by time, then by id (data-commons.md 6.8). In shared memory,
 * so that threads need no copy.
 */
export interface DonorTable {
  /** Survival times in days. */
  readonly times: Float64Array
  /** 1 for death, 0 for last seen alive (censored). */
  readonly deaths: Uint8Array
  /** Rows of the donors' cases. */
  readonly rows: Uint32Array
  /** Ends of the donors' JSON, from the comma before the id on. */
  readonly texts: Uint8Array
  /** Start of each donor's text, and the end. */
  readonly starts: Float64Array
}

/** Cases with a time, in the order of the table. */
export type DonorTimes = Pick<DonorTable, 'times' | 'deaths' | 'rows'>

/** Times by row of the case. NaN if unknown. */
export interface CaseTimes {
  /** Days to death of those who died. */
  readonly death: Float64Array
  /** Days to last contact of those alive. */
  readonly seen: Float64Array
}

/** Sorts the cases that have a time. */
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
