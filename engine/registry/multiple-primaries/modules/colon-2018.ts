import { allOf, type Condition } from '../answer.ts'
import { both, either, isSameHistology, isSameSite, not } from '../conditions.ts'
import { TABLES } from '../data/tables.ts'
import { MULTIPLE, type Rule, SINGLE } from '../rule.ts'
import {
  DIFFERENT_CATEGORY,
  DIFFERENT_SITE,
  differentRows,
  IN_SITU_AFTER_INVASIVE,
  INVASIVE_LONG_AFTER_IN_SITU,
  INVASIVE_SOON_AFTER_IN_SITU,
  NOTHING_ELSE_APPLIES,
  sameRowWithin60Days,
  yearsApart,
} from '../stock-rules.ts'
import { compileTable, isIn } from '../tables.ts'

/** Segments cannot be compared if one of them is unknown. */
const isSegmentOpen = either(({ site }) => site === 189)
const isOtherSegment: Condition = (one, other) =>
  isSegmentOpen(one, other) ? 'site' : !isSameSite(one, other)

/** Rules of str_2018_and_later_colon. The manual no longer has M7 and M8. */
export function colon2018(): readonly Rule[] {
  const table1 = compileTable(TABLES.colon2018)
  return [
    {
      step: 'M3',
      asks: 'Are both adenocarcinomas in familial adenomatous polyposis (8220)?',
      means: SINGLE,
      when: both(({ histology }) => histology === 8220),
      because: 'Familial adenomatous polyposis is a single primary.',
    },
    { step: 'M4', ...DIFFERENT_CATEGORY },
    {
      step: 'M5',
      asks: 'Are the histologies two different subtypes of Table 1?',
      means: MULTIPLE,
      when: allOf(not(isSameHistology), both(isIn(table1.subtypes))),
      because: 'Two different subtypes of Table 1 are multiple primaries, in one row or in two.',
    },
    { step: 'M6', ...differentRows(table1.rows.of, 'Table 1') },
    { step: 'M9', ...DIFFERENT_SITE, when: isOtherSegment },
    { step: 'M10', ...yearsApart(1) },
    { step: 'M11', ...sameRowWithin60Days(table1.rows.of, 'Table 1') },
    { step: 'M12', ...IN_SITU_AFTER_INVASIVE },
    { step: 'M13', ...INVASIVE_SOON_AFTER_IN_SITU },
    { step: 'M14', ...INVASIVE_LONG_AFTER_IN_SITU },
    { step: 'M15', ...NOTHING_ELSE_APPLIES },
  ]
}
