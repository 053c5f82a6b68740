import { countUp, sortedByRank } from '../../../shared/arrays/rank-sort.ts'

/**
 * All cases of a release with a survival time, sorted by time, then by id (data-commons.md 6.8). In shared
 * memory, so that threads need no copy.
 */
export interface DonorTable {
  /** Survival times in days. */
  readonly times: Float64Array
  /** 1 if the donor has died, 0 if the donor was last known to be alive (censored). Of other endpoints, 1 for the event. */
  readonly deaths: Uint8Array
  /** Row of each donor's case in the release. */
  readonly rows: Uint32Array
  /** The end of each donor's JSON object, from the comma before its id on, concatenated. */
  readonly texts: Uint8Array
  /** Start of each donor's text in `texts`, followed by the end of the last. */
  readonly starts: Float64Array
}

/** Times of the donors, in the order of the table. */
export type DonorTimes = Pick<DonorTable, 'times' | 'deaths' | 'rows'>

/** Days by row of the case, NaN if unknown. */
export interface CaseTimes {
  /** Days to death, for cases that died, or to the event of another endpoint. */
  readonly death: Float64Array
  /** Days to last contact, for cases that are alive, or until which there was no event. */
  readonly seen: Float64Array
}

/** Returns the cases that have a survival time, sorted as in DonorTable. */
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
