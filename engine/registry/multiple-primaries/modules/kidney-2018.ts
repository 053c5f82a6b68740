import { type Condition, unclear } from '../answer.ts'
import { andSidesKnown, areOpposite, both } from '../conditions.ts'
import { TABLES } from '../data/tables.ts'
import { inSameRow } from '../row-conditions.ts'
import { type Rule, SINGLE } from '../rule.ts'
import {
  DIFFERENT_SITE,
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
import { withinDays } from '../timing.ts'
import { WILMS_IN_BOTH } from './kidney-2007.ts'

const TWO_OF_8311 = unclear(
  'The code 8311 stands for several types of renal cell carcinoma, which a registrar has to compare.',
)

/** Rules of str_2018_and_later_kidney. */
export function kidney2018(): readonly Rule[] {
  const table1 = compileTable(TABLES.kidney2018)
  return [
    { step: 'M3', ...DIFFERENT_SITE },
    { step: 'M4', ...WILMS_IN_BOTH },
    { step: 'M5', ...onOppositeSides() },
    { step: 'M6', ...yearsApart(3) },
    { step: 'M7', ...distinctSubtypes(table1.subtypes, 'Table 1') },
    {
      step: 'M8',
      asks: 'Are the histologies the same, or in one row of Table 1, on one side and at most 60 days apart?',
      means: SINGLE,
      when: isOneOnSide(inSameRow(table1.rows.of)),
      because: 'Histologies of one row on one side within 60 days are a single primary.',
    },
    { step: 'M9', ...differentRows(table1.rows.of, 'Table 1') },
    { step: 'M10', ...IN_SITU_AFTER_INVASIVE_ON_SIDE },
    { step: 'M11', ...INVASIVE_SOON_AFTER_IN_SITU_ON_SIDE },
    { step: 'M12', ...INVASIVE_LONG_AFTER_IN_SITU },
    { step: 'M13', ...NOTHING_ELSE_APPLIES },
  ]
}

function isOneOnSide(isSameRow: Condition): Condition {
  const isOne = soonOnSameSide(isSameRow)
  const areBoth8311 = both(({ histology }) => histology === 8311)
  return (one, other) => {
    const answer = isOne(one, other)
    return answer === true && areBoth8311(one, other) ? TWO_OF_8311 : answer
  }
}

const within60Days = withinDays(60)

/** Restricts a condition to tumors on one side and at most 60 days apart. */
export function soonOnSameSide(holds: Condition): Condition {
  return (one, other) => {
    const answer = holds(one, other)
    if (answer !== true) return answer
    const isSoon = andSidesKnown(within60Days(one, other), one, other)
    return isSoon === true ? !areOpposite(one, other) : isSoon
  }
}
