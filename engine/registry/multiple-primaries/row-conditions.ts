import { allOf, type Condition, type Relation, type Unclear } from './answer.ts'
import { isSameSpecificHistology } from './conditions.ts'
import type { Diagnosis } from './diagnosis.ts'
import { NO_PLACE } from './diagnosis.ts'
import type { Names, RowOf } from './tables.ts'
import { withinDays } from './timing.ts'

// What rules ask of tables (multiple-primaries.md 4.2). Tumours of one histology and behavior are in one row
// without a look at the table.

/** `8500/3` */
export function codeOf({ histology, behavior, morphology }: Diagnosis): string {
  return `${morphology === NO_PLACE ? histology % 10_000 : histology}/${behavior}`
}

/** A rule that needs the rows of both tumours, where the table does not have them. */
export function notInTable(row: RowOf): Unclear {
  return Object.freeze({
    because: (one: Diagnosis, other: Diagnosis) => {
      const [first, second] = [one, other].filter((tumour) => row(tumour) === 0).map(codeOf)
      const absent =
        second === undefined || first === second ? `${first} is` : `Both ${first} and ${second} are`
      return `${absent} not in the table that decides this rule, so a registrar has to.`
    },
  })
}

export function inDifferentRows(row: RowOf): Condition {
  const unlisted = notInTable(row)
  return (one, other) => {
    if (isSameSpecificHistology(one, other)) return false
    const [first, second] = [row(one), row(other)]
    return first === 0 || second === 0 ? unlisted : first !== second
  }
}

export function inSameRow(row: RowOf): Condition {
  const unlisted = notInTable(row)
  return (one, other) => {
    if (isSameSpecificHistology(one, other)) return true
    const [first, second] = [row(one), row(other)]
    return first === 0 || second === 0 ? unlisted : first === second
  }
}

export function inSameRowWithin60Days(row: RowOf): Condition {
  return allOf(inSameRow(row), withinDays(60))
}

/** The same row, where a missing one is no question. */
export function inSameListedRow(row: RowOf): Relation {
  return (one, other) =>
    isSameSpecificHistology(one, other) || (row(one) !== 0 && row(one) === row(other))
}

/** Two subtypes of which neither stands for the other too. */
export function areDistinctSubtypes({ of, overlap }: Names): Relation {
  return (one, other) => {
    const [first, second] = [of(one), of(other)]
    return first !== 0 && second !== 0 && !overlap(first, second)
  }
}

/** Two subtypes that are not called the same. */
export function areDifferentSubtypes({ of }: Names): Relation {
  return (one, other) => {
    const [first, second] = [of(one), of(other)]
    return first !== 0 && second !== 0 && first !== second
  }
}

/** A second table of histologies that are rows for themselves where the first has none. */
export const OTHER_TABLE = 1000

export function rowOrOtherTable({ of }: Names, isInOtherTable: (tumour: Diagnosis) => boolean) {
  return (tumour: Diagnosis): number => of(tumour) || (isInOtherTable(tumour) ? OTHER_TABLE : 0)
}
