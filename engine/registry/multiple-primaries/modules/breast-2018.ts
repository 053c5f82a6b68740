import { allOf, type Condition } from '../answer.ts'
import { histologyIn } from '../codes.ts'
import { anyOf, crossed } from '../conditions.ts'
import { HISTOLOGIES } from '../data/histologies.ts'
import { TABLES } from '../data/tables.ts'
import { inSameListedRow, rowOrOtherTable } from '../row-conditions.ts'
import { type Rule, SINGLE } from '../rule.ts'
import {
  DIFFERENT_CATEGORY,
  differentRows,
  distinctSubtypes,
  IN_SITU_AFTER_INVASIVE_ON_SIDE,
  INVASIVE_LONG_AFTER_IN_SITU,
  INVASIVE_SOON_AFTER_IN_SITU_ON_SIDE,
  NOTHING_ELSE_APPLIES,
  onOppositeSides,
  yearsApart,
} from '../stock-rules.ts'
import { compileTable } from '../tables.ts'
import { laterOf, withinDays } from '../timing.ts'
import { INFLAMMATORY_IN_BOTH } from './breast-2007.ts'

/** Rules of str_2018_and_later_breast. The manual no longer has M8 and M9. */
export function breast2018(): readonly Rule[] {
  const table3 = compileTable(TABLES.breast2018)
  const isInTable2 = histologyIn(HISTOLOGIES.breast2018Table2)
  return [
    { step: 'M4', ...DIFFERENT_CATEGORY },
    { step: 'M5', ...yearsApart(5) },
    { step: 'M6', ...INFLAMMATORY_IN_BOTH },
    { step: 'M7', ...onOppositeSides() },
    {
      step: 'M10',
      asks: 'Was a mixed carcinoma followed by, or found with, a carcinoma NST (8500) of its behavior?',
      means: SINGLE,
      when: isDuctAfterMixed(),
      because: 'A duct carcinoma with or after a mixed one is what is left of the same primary.',
    },
    { step: 'M11', ...distinctSubtypes(table3.subtypes, 'Table 3') },
    {
      step: 'M12',
      asks: 'Are the histologies the same, or in one row of Table 3, and at most 60 days apart?',
      means: SINGLE,
      when: allOf(inSameListedRow(table3.rows.of), withinDays(60)),
      because: 'Histologies of one row of Table 3 within 60 days are a single primary.',
    },
    {
      step: 'M13',
      ...differentRows(rowOrOtherTable(table3.rows, isInTable2), 'Table 3'),
      notes: ['A histology that only Table 2 has is in another row than those of Table 3.'],
    },
    { step: 'M14', ...IN_SITU_AFTER_INVASIVE_ON_SIDE },
    { step: 'M15', ...INVASIVE_SOON_AFTER_IN_SITU_ON_SIDE },
    { step: 'M16', ...INVASIVE_LONG_AFTER_IN_SITU },
    { step: 'M17', ...NOTHING_ELSE_APPLIES },
  ]
}

function isDuctAfterMixed(): Condition {
  const isDuctWithMixed = anyOf(
    crossed(histologyIn('8500/2'), histologyIn('8522/2 8543/2 8543/3 8523/2')),
    crossed(histologyIn('8500/3'), histologyIn('8522/3 8541/3 8523/3')),
  )
  return (one, other) => {
    if (!isDuctWithMixed(one, other)) return false
    const later = laterOf(one, other)
    if (later === 'unknown') return 'date'
    return later === 'same' || (later === 'first' ? one : other).histology === 8500
  }
}
