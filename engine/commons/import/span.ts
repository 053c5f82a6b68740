import { RowError } from './row-error.ts'

export interface Span {
  /** 1-based, inclusive. */
  readonly start: number
  readonly end: number
}

/** @throws RowError when one is missing or not a whole number, or they are in the wrong order */
export function spanIn(start: number | undefined, end: number | undefined): Span {
  if (start === undefined || end === undefined || start < 1 || end < start) {
    throw new RowError(`start and end are no span: ${start ?? 'nothing'} to ${end ?? 'nothing'}`)
  }
  return { start, end }
}

export interface Place extends Span {
  /** Without `chr`. */
  readonly chromosome: string
}

/** @throws RowError when the row has no chromosome, or as `spanIn` */
export function placeIn(row: { readonly [K in keyof Place]: Place[K] | undefined }): Place {
  const { chromosome, start, end } = row
  if (chromosome === undefined) throw new RowError('the row has no chromosome')
  return { chromosome, ...spanIn(start, end) }
}
