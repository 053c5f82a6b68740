import type { Condition, Is, Relation } from './answer.ts'
import { bothSitesInOneOf, histologyIn } from './codes.ts'
import {
  always,
  areOppositeOrUnknown,
  isInSituAfterInvasive,
  isInSituAfterInvasiveOnSide,
  isInvasiveLongAfterInSitu,
  isInvasiveSoonAfterInSitu,
  isInvasiveSoonAfterInSituOnSide,
  isSameCategory,
  isSameSite,
  isSameStem,
  not,
} from './conditions.ts'
import { MORE_SPECIFIC } from './data/more-specific.ts'
import {
  areDifferentSubtypes,
  areDistinctSubtypes,
  inDifferentRows,
  inSameRow,
  inSameRowWithin60Days,
} from './row-conditions.ts'
import { MULTIPLE, SINGLE, type StockRule } from './rule.ts'
import type { Names, RowOf } from './tables.ts'
import { atLeastYears } from './timing.ts'

// Rules that several modules share (multiple-primaries.md 4.2).

/** Applies if no earlier rule decided. */
export const NOTHING_ELSE_APPLIES: StockRule = {
  asks: 'Did none of the rules before this one apply?',
  means: SINGLE,
  when: always,
  because: 'Tumors that no rule tells apart are abstracted as a single primary.',
}

export const DIFFERENT_CATEGORY: StockRule = {
  asks: 'Do the topography codes differ in their second or third character (Cxx)?',
  means: MULTIPLE,
  when: not(isSameCategory),
  because: 'Tumors in different parts of the body (Cxx differs) are multiple primaries.',
}

export const DIFFERENT_SITE: StockRule = {
  asks: 'Do the topography codes differ in any character (Cxxx)?',
  means: MULTIPLE,
  when: not(isSameSite),
  because: 'Tumors whose topography codes differ (Cxxx) are multiple primaries.',
}

export const DIFFERENT_STEM: StockRule = {
  asks: 'Do the histology codes differ in one of their first three digits (xxx_)?',
  means: MULTIPLE,
  when: not(isSameStem),
  because: 'Histologies that differ in the first three digits are multiple primaries.',
}

/** Returns the rule that tumors diagnosed at least this many years apart are multiple primaries. */
export function yearsApart(years: 1 | 3 | 5): StockRule {
  const time = years === 1 ? 'one year' : years === 3 ? 'three years' : 'five years'
  return {
    asks: `Were the tumors diagnosed ${time} or more apart?`,
    means: MULTIPLE,
    when: atLeastYears(years),
    because: `Diagnoses that lie ${time} or more apart are multiple primaries.`,
    notes: [`On the very anniversary the tumors count as ${time} apart.`],
  }
}

/**
 * Creates the rule for opposite sides.
 * @param where the sites that the rule covers; defaults to all sites of the module
 */
export function onOppositeSides(where?: Relation): StockRule {
  return {
    asks: where
      ? 'Are the tumors on opposite sides of a site that is paired?'
      : 'Is one tumor on the right and the other on the left side?',
    means: MULTIPLE,
    when: where
      ? (one, other) => where(one, other) && areOppositeOrUnknown(one, other)
      : areOppositeOrUnknown,
    because: 'Tumors on both sides of a paired organ are multiple primaries.',
  }
}

export function onOppositeSidesOf(pairedSites: string): StockRule {
  return onOppositeSides(bothSitesInOneOf(pairedSites))
}

export const INVASIVE_LONG_AFTER_IN_SITU: StockRule = {
  asks: 'Was an invasive tumor diagnosed more than 60 days after one in situ?',
  means: MULTIPLE,
  when: isInvasiveLongAfterInSitu,
  because: 'An invasive tumor more than 60 days after one in situ is another primary.',
  notes: ['It is counted as incident even where it may be a recurrence or a progression.'],
}

export const INVASIVE_SOON_AFTER_IN_SITU: StockRule = {
  asks: 'Was an invasive tumor diagnosed at most 60 days after one in situ?',
  means: SINGLE,
  when: isInvasiveSoonAfterInSitu,
  because: 'An invasive tumor within 60 days after one in situ belongs to the same primary.',
}

export const INVASIVE_SOON_AFTER_IN_SITU_ON_SIDE: StockRule = {
  asks: 'Was an invasive tumor diagnosed on the same side at most 60 days after one in situ?',
  means: SINGLE,
  when: isInvasiveSoonAfterInSituOnSide,
  because:
    'An invasive tumor within 60 days after one in situ on the same side belongs to the same primary.',
}

export const IN_SITU_AFTER_INVASIVE: StockRule = {
  asks: 'Was a tumor in situ diagnosed after an invasive one?',
  means: SINGLE,
  when: isInSituAfterInvasive,
  because: 'A tumor in situ after an invasive one belongs to the same primary.',
}

export const IN_SITU_AFTER_INVASIVE_ON_SIDE: StockRule = {
  asks: 'Was a tumor in situ diagnosed after an invasive one on the same side?',
  means: SINGLE,
  when: isInSituAfterInvasiveOnSide,
  because: 'A tumor in situ after an invasive one on the same side belongs to the same primary.',
}

/**
 * Creates the rule for different rows.
 * @param table name in the manual: `Table 1`
 */
export function differentRows(row: RowOf, table: string): StockRule {
  return {
    asks: `Are the histologies in different rows of ${table}?`,
    means: MULTIPLE,
    when: inDifferentRows(row),
    because: `Histologies of different rows of ${table} are multiple primaries.`,
  }
}

/**
 * Rule: histologies in the same row of a table are a single primary.
 * @param table name for the question, such as `Table 3`
 */
export function sameRow(row: RowOf, table: string): StockRule {
  return {
    asks: `Are the histologies the same, or in one row of ${table}?`,
    means: SINGLE,
    when: inSameRow(row),
    because: `Histologies of one row of ${table} are a single primary.`,
  }
}

export function sameRowWithin60Days(row: RowOf, table: string): StockRule {
  return {
    asks: `Are the histologies the same, or in one row of ${table}, and at most 60 days apart?`,
    means: SINGLE,
    when: inSameRowWithin60Days(row),
    because: `Histologies of one row of ${table} within 60 days are a single primary.`,
  }
}

function subtypes(when: Condition, table: string): StockRule {
  return {
    asks: `Are the histologies two different subtypes of ${table}?`,
    means: MULTIPLE,
    when,
    because: `Two different subtypes of ${table} are multiple primaries, in one row or in two.`,
  }
}

/** Returns the rule for different subtypes. A subtype that stands for several is different from none of them. */
export function distinctSubtypes(names: Names, table: string): StockRule {
  return subtypes(areDistinctSubtypes(names), table)
}

/** Returns the same rule for tables in which each subtype stands only for itself. */
export function differentSubtypes(names: Names, table: string): StockRule {
  return subtypes(areDifferentSubtypes(names), table)
}

/** Returns a test for an unspecified histology, such as carcinoma NOS, and a more specific one of its kind. */
export function moreSpecific(...unspecified: readonly (keyof typeof MORE_SPECIFIC)[]): StockRule {
  const kinds: readonly { readonly code: number; readonly isSpecific: Is }[] = unspecified.map(
    (code) => ({ code, isSpecific: histologyIn(MORE_SPECIFIC[code]) }),
  )
  return {
    asks: 'Is one histology unspecified (NOS) and the other a more specific one of its kind?',
    means: SINGLE,
    when: (one, other) =>
      kinds.some(
        ({ code, isSpecific }) =>
          (one.histology === code && isSpecific(other)) ||
          (other.histology === code && isSpecific(one)),
      ),
    because: 'An unspecified histology and a more specific one of its kind are a single primary.',
    notes: [`Unspecified are here ${unspecified.join(', ')}.`],
  }
}
