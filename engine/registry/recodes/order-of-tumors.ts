import type { PartialDate } from './partial-date.ts'

/** The values by which tumors are sorted. */
interface Dated {
  readonly date: PartialDate
  /** The number returned by readSequence. */
  readonly sequence: number
}

const SEQUENCE = /^\d{1,2}$/
const NO_SEQUENCE = -1
/** Added to the numbers of tumors that only some registries count, so that they sort after all others. */
const OWN_NUMBERS = 100

/** Reads a sequence number. Numbers 60 to 97 sort after all others. */
export function readSequence(text = ''): number {
  if (!SEQUENCE.test(text)) return NO_SEQUENCE
  const number = Number(text)
  return number >= 60 && number <= 97 ? number + OWN_NUMBERS : number
}

/**
 * Sorts tumors chronologically (registry-lookups.md 4.8). Complete dates are sorted first. Dates with an
 * unknown day, month or year are then inserted one by one, so that comparisons can never form a cycle.
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

/** Compares two dates by the parts that are known in both. */
function compareDates(a: PartialDate, b: PartialDate): number {
  for (const part of ['year', 'month', 'day'] as const) {
    const [one, other] = [a[part], b[part]]
    if (one === undefined || other === undefined) return 0
    if (one !== other) return one - other
  }
  return 0
}

/** Returns the position after the last tumor that this tumor may follow. */
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

/**
 * Returns whether a tumor may follow another tumor.
 * @param before tumors that may have the same date, up to the other tumor
 */
function mayFollow({ sequence }: Dated, other: Dated, before: () => readonly Dated[]): boolean {
  if (sequence < OWN_NUMBERS) return sequence >= other.sequence
  if (other.sequence >= OWN_NUMBERS && sequence >= other.sequence) return true
  const own = before()
    .map((one) => one.sequence)
    .filter((one) => one >= OWN_NUMBERS)
  const isAscending = own.every((one, i) => i === 0 || (own[i - 1] ?? one) <= one)
  // Numbers that are already out of order carry no information.
  return !isAscending || own.length === 0 || sequence > (own.at(-1) ?? sequence)
}
