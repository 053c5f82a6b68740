import { allOf, type Relation } from '../answer.ts'
import { histologyIn, siteIn } from '../codes.ts'
import { both, crossed, eachOf, isInSitu, isInvasive, isSameCategory, not } from '../conditions.ts'
import { HISTOLOGIES } from '../data/histologies.ts'
import { SITES } from '../data/sites.ts'
import { TABLES } from '../data/tables.ts'
import { MULTIPLE, type Rule, SINGLE } from '../rule.ts'
import {
  DIFFERENT_CATEGORY,
  differentRows,
  differentSubtypes,
  IN_SITU_AFTER_INVASIVE,
  INVASIVE_LONG_AFTER_IN_SITU,
  INVASIVE_SOON_AFTER_IN_SITU,
  NOTHING_ELSE_APPLIES,
  sameRowWithin60Days,
  yearsApart,
} from '../stock-rules.ts'
import { compileTable } from '../tables.ts'
import { withinDays } from '../timing.ts'
import { inBothRenalPelves, inBothUreters } from './urinary-2007.ts'

/** Rules of str_2018_and_later_urinary. */
export function urinary2018(): readonly Rule[] {
  const table2 = compileTable(TABLES.urinary2018)
  const isUrothelial = histologyIn(HISTOLOGIES.urothelial2018)
  const isNotMicropapillary = histologyIn(HISTOLOGIES.urothelial2018NotMicropapillary)
  const isInBladder = siteIn(SITES.bladder)
  const isInSituCarcinoma = histologyIn('8120/2')
  const areRecurrencesOfBladder: Relation = both(eachOf(isInBladder, isNotMicropapillary))
  const threeYearsApart = yearsApart(3)
  return [
    { step: 'M3', ...inBothRenalPelves() },
    { step: 'M4', ...inBothUreters() },
    {
      step: 'M5',
      asks: 'Are there carcinomas in situ (8120/2) of the bladder and of a ureter, at most 60 days apart?',
      means: SINGLE,
      when: allOf(
        crossed(
          eachOf(isInBladder, isInSituCarcinoma),
          eachOf(siteIn(SITES.ureter), isInSituCarcinoma),
        ),
        withinDays(60),
      ),
      because: 'Carcinoma in situ of bladder and ureter at one time is a single primary.',
    },
    { step: 'M6', ...INVASIVE_LONG_AFTER_IN_SITU },
    {
      step: 'M7',
      asks: 'Are both urothelial carcinomas in situ of the bladder, not micropapillary?',
      means: SINGLE,
      when: both(eachOf(isInSitu, isInBladder, isNotMicropapillary)),
      because:
        'Such carcinomas in situ of the bladder are a single primary, however often they recur.',
    },
    {
      step: 'M8',
      asks: 'Is one a micropapillary carcinoma (8131) and the other another urothelial carcinoma?',
      means: MULTIPLE,
      when: crossed(histologyIn('8131'), isNotMicropapillary),
      because: 'Micropapillary and other urothelial carcinomas are multiple primaries.',
    },
    {
      step: 'M9',
      asks: 'Are both invasive urothelial carcinomas of the bladder?',
      means: SINGLE,
      when: both(eachOf(isInvasive, isInBladder, isUrothelial)),
      because: 'Invasive urothelial carcinomas of the bladder are a single primary.',
    },
    {
      step: 'M10',
      ...threeYearsApart,
      when: (one, other) =>
        !areRecurrencesOfBladder(one, other) && threeYearsApart.when(one, other),
      notes: ['Urothelial carcinomas of the bladder are left out, as they recur after years.'],
    },
    {
      step: 'M11',
      asks: 'Are both urothelial, in different organs of the urinary tract?',
      means: SINGLE,
      when: allOf(not(isSameCategory), both(eachOf(siteIn(SITES.urothelialSites), isUrothelial))),
      because: 'Urothelial carcinomas along the urinary tract are a single primary.',
    },
    { step: 'M12', ...differentSubtypes(table2.subtypes, 'Table 2') },
    { step: 'M13', ...differentRows(table2.rows.of, 'Table 2') },
    { step: 'M14', ...DIFFERENT_CATEGORY },
    { step: 'M15', ...sameRowWithin60Days(table2.rows.of, 'Table 2') },
    { step: 'M16', ...IN_SITU_AFTER_INVASIVE },
    { step: 'M17', ...INVASIVE_SOON_AFTER_IN_SITU },
    { step: 'M18', ...NOTHING_ELSE_APPLIES },
  ]
}
