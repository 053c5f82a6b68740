import type { Condition } from '../answer.ts'
import { both } from '../conditions.ts'
import { type Diagnosis, LEFT, MIDLINE, RIGHT } from '../diagnosis.ts'
import { MULTIPLE, type Rule, type StockRule } from '../rule.ts'
import {
  DIFFERENT_SITE,
  DIFFERENT_STEM,
  INVASIVE_LONG_AFTER_IN_SITU,
  NOTHING_ELSE_APPLIES,
} from '../stock-rules.ts'
import { moreThanDays } from '../timing.ts'

const isSideKnown = ({ laterality }: Diagnosis) =>
  laterality === RIGHT || laterality === LEFT || laterality === MIDLINE

/** For skin, the midline counts as a side of its own. */
export const areSkinSidesKnown = both(isSideKnown)

export const isOtherSideOfSkin: Condition = (one, other) =>
  areSkinSidesKnown(one, other) ? one.laterality !== other.laterality : 'laterality'

export const OTHER_SIDE_OF_SKIN: StockRule = {
  asks: 'Are the melanomas on different sides, or one on a side and one on the midline?',
  means: MULTIPLE,
  when: isOtherSideOfSkin,
  because: 'Melanomas of different laterality are multiple primaries.',
}

/** Rules of mph_2007_to_2017_melanoma, which apply until 2020. */
export function melanoma2007(): readonly Rule[] {
  return [
    { step: 'M3', ...DIFFERENT_SITE },
    { step: 'M4', ...OTHER_SIDE_OF_SKIN },
    { step: 'M5', ...DIFFERENT_STEM },
    { step: 'M6', ...INVASIVE_LONG_AFTER_IN_SITU },
    {
      step: 'M7',
      asks: 'Were the melanomas diagnosed more than 60 days apart?',
      means: MULTIPLE,
      when: moreThanDays(60),
      because: 'Melanomas more than 60 days apart are multiple primaries.',
    },
    { step: 'M8', ...NOTHING_ELSE_APPLIES },
  ]
}
