import { RowError } from './row-error.ts'
import { wholeNumber } from './table-kind.ts'

export interface Span {
  /** 1-based, inclusive. */
  readonly start: number
  readonly end: number
}

/** @throws RowError when the texts are no numbers, or in the wrong order */
export function spanIn(startText: string | undefined, endText: string | undefined): Span {
  const start = wholeNumber(startText)
  const end = wholeNumber(endText)
  if (start === undefined || end === undefined || start < 1 || end < start) {
    throw new RowError('start and end are no span')
  }
  return { start, end }
}
