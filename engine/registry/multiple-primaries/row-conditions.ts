import { allOf, type Condition, type Relation, type Unclear } from './answer.ts'
import { isSameSpecificHistology } from './conditions.ts'
import type { Diagnosis } from './diagnosis.ts'
import { NO_PLACE } from './diagnosis.ts'
import type { Names, RowOf } from './tables.ts'
import { withinDays } from './timing.ts'

// Conditions on tables (multiple-primaries.md 4.2). Tumors with the same histology and behavior are in the
// same row without consulting the table.

/** Formats a morphology as `8500/3`. */
function codeOf({ histology, behavior, morphology }: Diagnosis): string {
  return `${morphology === NO_PLACE ? histology % 10_000 : histology}/${behavior}`
}

/** Returns the answer of a rule that needs the rows of both tumors, if the table lacks one of them. */
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

/** Returns a condition for two histologies in different rows of a table. Undecided if one is in no row. */
export function inDifferentRows(row: RowOf): Condition {
  const unlisted = notInTable(row)
  return (one, other) => {
    if (isSameSpecificHistology(one, other)) return false
    const [first, second] = [row(one), row(other)]
    return first === 0 || second === 0 ? unlisted : first !== second
  }
}

/** Returns a condition for two histologies in the same row of a table. Undecided if one is in no row. */
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

/** Tests for the same row; a tumor without a row does not match. */
export function inSameListedRow(row: RowOf): Relation {
  return (one, other) =>
    isSameSpecificHistology(one, other) || (row(one) !== 0 && row(one) === row(other))
}

/** Returns a condition for two subtypes of which neither includes the other. */
export function areDistinctSubtypes({ of, overlap }: Names): Relation {
  return (one, other) => {
    const [first, second] = [of(one), of(other)]
    return first !== 0 && second !== 0 && !overlap(first, second)
  }
}

/** Tests for two subtypes with different names. */
export function areDifferentSubtypes({ of }: Names): Relation {
  return (one, other) => {
    const [first, second] = [of(one), of(other)]
    return first !== 0 && second !== 0 && first !== second
  }
}

/** Row number for histologies that only the second table lists. Each of them counts as a row of its own. */
export const OTHER_TABLE = 1000

/** Returns the row of a tumor in a table, or OTHER_TABLE if only another table lists it. */
export function rowOrOtherTable({ of }: Names, isInOtherTable: (tumour: Diagnosis) => boolean) {
  return (tumour: Diagnosis): number => of(tumour) || (isInOtherTable(tumour) ? OTHER_TABLE : 0)
}
