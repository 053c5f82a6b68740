import { lastBaseOf } from '../datasets/chromosome-lengths.ts'
import { RowError } from './row-error.ts'

export interface Span {
  /** First position, 1-based and inclusive. */
  readonly start: number
  readonly end: number
}

/** Last base that any format has room for. */
const MAX_END = 2 ** 31 - 1

/**
 * Returns the span of two coordinates.
 * @throws RowError if one is missing, less than 1 or too large, or the end is before the start
 */
export function spanIn(start: number | undefined, end: number | undefined): Span {
  if (start === undefined || end === undefined) {
    const missing = start === undefined ? 'start' : 'end'
    throw new RowError(`the row has no ${missing}, or one that is not understood as a whole number`)
  }
  if (start < 1 || end < start || end > MAX_END) {
    throw new RowError(`start and end are no span: ${start} to ${end}`)
  }
  return { start, end }
}

export interface Place extends Span {
  /** Chromosome without `chr`. */
  readonly chromosome: string
}

/**
 * Returns the location of a row.
 * @param build reference build of the row, if it is known
 * @throws RowError for a missing chromosome, a start behind its end, or as `spanIn`
 */
export function placeIn(
  row: { readonly [K in keyof Place]: Place[K] | undefined },
  build: string | undefined,
): Place {
  const { chromosome, start, end } = row
  if (chromosome === undefined) throw new RowError('the row has no chromosome')
  const place = { chromosome, ...spanIn(start, end) }
  proveWithin(place.start, chromosome, build)
  return place
}

/** @throws RowError for a position behind the end of a chromosome */
export function proveWithin(position: number, chromosome: string, build: string | undefined): void {
  const last = lastBaseOf(chromosome, build)
  if (position <= last) return
  throw new RowError(
    `position ${position} is behind the end of chromosome ${chromosome}, which has ${last} bases in ${build ?? 'any build'}`,
  )
}
