import { histologyIn } from '../codes.ts'
import { both, crossed, eachOf, isInvasive } from '../conditions.ts'
import { HISTOLOGIES } from '../data/histologies.ts'
import { type Rule, SINGLE, type StockRule } from '../rule.ts'
import {
  DIFFERENT_CATEGORY,
  DIFFERENT_STEM,
  INVASIVE_LONG_AFTER_IN_SITU,
  NOTHING_ELSE_APPLIES,
  onOppositeSides,
  yearsApart,
} from '../stock-rules.ts'

export const INFLAMMATORY_IN_BOTH: StockRule = {
  asks: 'Are both invasive inflammatory carcinomas (8530/3)?',
  means: SINGLE,
  when: both(eachOf(isInvasive, ({ histology }) => histology === 8530)),
  because: 'Inflammatory carcinoma of one or of both breasts is a single primary.',
}

/** Rules of mph_2007_to_2017_breast. */
export function breast2007(): readonly Rule[] {
  const { intraductalCarcinoma, ductCarcinoma } = HISTOLOGIES
  const isDuctal = histologyIn(intraductalCarcinoma, ductCarcinoma)
  return [
    { step: 'M4', ...DIFFERENT_CATEGORY },
    { step: 'M5', ...yearsApart(5) },
    { step: 'M6', ...INFLAMMATORY_IN_BOTH },
    { step: 'M7', ...onOppositeSides() },
    { step: 'M8', ...INVASIVE_LONG_AFTER_IN_SITU },
    {
      step: 'M9',
      asks: 'Is one Paget disease and the other an intraductal or duct carcinoma?',
      means: SINGLE,
      when: crossed(histologyIn(HISTOLOGIES.pagetDisease), isDuctal),
      because: 'Paget disease with a carcinoma of the ducts is a single primary.',
    },
    {
      step: 'M10',
      asks: 'Is one a lobular carcinoma (8520) and the other an intraductal or duct carcinoma?',
      means: SINGLE,
      when: crossed(histologyIn('8520'), isDuctal),
      because: 'Lobular with duct carcinoma of one breast is a single primary.',
    },
    {
      step: 'M11',
      asks: 'Are both intraductal or duct carcinomas?',
      means: SINGLE,
      when: both(isDuctal),
      because: 'Several intraductal or duct carcinomas of one breast are a single primary.',
    },
    { step: 'M12', ...DIFFERENT_STEM },
    { step: 'M13', ...NOTHING_ELSE_APPLIES },
  ]
}
