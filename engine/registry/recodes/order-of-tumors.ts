import type { PartialDate } from './partial-date.ts'

/** What tumours are put in order by. */
export interface Dated {
  readonly date: PartialDate
  /** As readSequence reads it. */
  readonly sequence: number
}

const SEQUENCE = /^\d{1,2}$/
const NO_SEQUENCE = -1
/** From here on are the numbers of tumours that only some registries count; they come behind all others. */
const OWN_NUMBERS = 100

/** A sequence number; 60 to 97 come behind all others. */
export function readSequence(text = ''): number {
  if (!SEQUENCE.test(text)) return NO_SEQUENCE
  const number = Number(text)
  return number >= 60 && number <= 97 ? number + OWN_NUMBERS : number
}

/**
 * Tumours as they came one after the other (registry-lookups.md 4.8). Whole dates are put in order first;
 * those of which the day, the month or all is unknown find their places among them, one after the other, so
 * that no three of them can go round in a circle.
 */
export function inOrder<T extends Dated>(tumors: readonly T[]): readonly T[] {
  const kinds: readonly T[][] = [[], [], [], []]
  for (const tumor of tumors) kinds[unknownParts(tumor.date)]?.push(tumor)
  const ordered: T[] = []
  for (const kind of kinds) {
    const sorted = kind.toSorted((a, b) => compareDates(a.date, b.date) || a.sequence - b.sequence)
    if (ordered.length === 0) ordered.push(...sorted)
    else for (const tumor of sorted) ordered.splice(placeOf(tumor, ordered), 0, tumor)
  }
  return ordered
}

function unknownParts({ year, month, day }: PartialDate): number {
  if (year === undefined) return 3
  if (month === undefined) return 2
  return day === undefined ? 1 : 0
}

/** Equal as far as both are known. */
function compareDates(a: PartialDate, b: PartialDate): number {
  for (const part of ['year', 'month', 'day'] as const) {
    const [one, other] = [a[part], b[part]]
    if (one === undefined || other === undefined) return 0
    if (one !== other) return one - other
  }
  return 0
}

/** Behind the last one that it may follow. */
function placeOf(tumor: Dated, ordered: readonly Dated[]): number {
  const last = ordered.findLastIndex((other, i) => {
    const order = compareDates(tumor.date, other.date)
    if (order !== 0) return order > 0
    return mayFollow(tumor, other, () =>
      ordered.slice(0, i + 1).filter(({ date }) => compareDates(tumor.date, date) === 0),
    )
  })
  return last + 1
}

/** @param before what may be of the same date, up to the other */
function mayFollow({ sequence }: Dated, other: Dated, before: () => readonly Dated[]): boolean {
  if (sequence < OWN_NUMBERS) return sequence >= other.sequence
  if (other.sequence >= OWN_NUMBERS && sequence >= other.sequence) return true
  const own = before()
    .map((one) => one.sequence)
    .filter((one) => one >= OWN_NUMBERS)
  const isAscending = own.every((one, i) => i === 0 || (own[i - 1] ?? one) <= one)
  // Numbers that are out of order already say nothing.
  return !isAscending || own.length === 0 || sequence > (own.at(-1) ?? sequence)
}
