import { histologyIn } from '../codes.ts'
import { both, eachOf, isInvasive, isSameHistology } from '../conditions.ts'
import { HISTOLOGIES } from '../data/histologies.ts'
import { MULTIPLE, type Rule, SINGLE, type StockRule } from '../rule.ts'
import {
  DIFFERENT_CATEGORY,
  DIFFERENT_STEM,
  INVASIVE_LONG_AFTER_IN_SITU,
  moreSpecific,
  NOTHING_ELSE_APPLIES,
  onOppositeSides,
  yearsApart,
} from '../stock-rules.ts'

export const WILMS_IN_BOTH: StockRule = {
  asks: 'Are both invasive Wilms tumors (8960/3)?',
  means: SINGLE,
  when: both(eachOf(isInvasive, ({ histology }) => histology === 8960)),
  because: 'Wilms tumor of one or of both kidneys is a single primary.',
}

/** Rules of mph_2007_to_2017_kidney. */
export function kidney2007(): readonly Rule[] {
  const areSpecific = both(histologyIn(HISTOLOGIES.renalCellSpecific))
  return [
    { step: 'M3', ...WILMS_IN_BOTH },
    { step: 'M4', ...DIFFERENT_CATEGORY },
    { step: 'M5', ...onOppositeSides() },
    { step: 'M6', ...yearsApart(3) },
    { step: 'M7', ...INVASIVE_LONG_AFTER_IN_SITU },
    {
      step: 'M8',
      asks: 'Are there two different specific types of renal cell carcinoma?',
      means: MULTIPLE,
      when: (one, other) => areSpecific(one, other) && !isSameHistology(one, other),
      because: 'Two specific types of renal cell carcinoma are multiple primaries.',
    },
    { step: 'M9', ...moreSpecific(8000, 8010, 8140, 8312) },
    { step: 'M10', ...DIFFERENT_STEM },
    { step: 'M11', ...NOTHING_ELSE_APPLIES },
  ]
}
