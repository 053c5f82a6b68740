import { RowError } from './row-error.ts'

export interface Span {
  /** 1-based, inclusive. */
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
  if (start === undefined || end === undefined || start < 1 || end < start || end > MAX_END) {
    throw new RowError(`start and end are no span: ${start ?? 'nothing'} to ${end ?? 'nothing'}`)
  }
  return { start, end }
}

export interface Place extends Span {
  /** Chromosome without `chr`. */
  readonly chromosome: string
}

/**
 * Returns the location of a row.
 * @throws RowError for a missing chromosome, or as `spanIn`
 */
export function placeIn(row: { readonly [K in keyof Place]: Place[K] | undefined }): Place {
  const { chromosome, start, end } = row
  if (chromosome === undefined) throw new RowError('the row has no chromosome')
  return { chromosome, ...spanIn(start, end) }
}
