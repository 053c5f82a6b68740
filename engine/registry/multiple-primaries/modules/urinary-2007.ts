import { histologyIn, siteIn } from '../codes.ts'
import { both, eachOf } from '../conditions.ts'
import { HISTOLOGIES } from '../data/histologies.ts'
import { SITES } from '../data/sites.ts'
import { type Rule, SINGLE, type StockRule } from '../rule.ts'
import {
  DIFFERENT_CATEGORY,
  DIFFERENT_STEM,
  INVASIVE_LONG_AFTER_IN_SITU,
  NOTHING_ELSE_APPLIES,
  onOppositeSides,
  yearsApart,
} from '../stock-rules.ts'

export function inBothRenalPelves(): StockRule {
  return {
    ...onOppositeSides(both(siteIn(SITES.renalPelvis))),
    asks: 'Is there a tumor in the right and one in the left renal pelvis?',
  }
}

export function inBothUreters(): StockRule {
  return {
    ...onOppositeSides(both(siteIn(SITES.ureter))),
    asks: 'Is there a tumor in the right and one in the left ureter?',
  }
}

/** Rules of mph_2007_to_2017_urinary. */
export function urinary2007(): readonly Rule[] {
  const h = HISTOLOGIES
  return [
    { step: 'M3', ...inBothRenalPelves() },
    { step: 'M4', ...inBothUreters() },
    { step: 'M5', ...INVASIVE_LONG_AFTER_IN_SITU },
    {
      step: 'M6',
      asks: 'Are both transitional cell or papillary carcinomas of the bladder?',
      means: SINGLE,
      when: both(
        eachOf(
          siteIn(SITES.bladder),
          histologyIn(
            h.papillaryCarcinomaNos,
            h.transitionalCellCarcinoma,
            h.papillaryTransitionalCellCarcinoma,
          ),
        ),
      ),
      because: 'Such carcinomas of the bladder are a single primary, however often they recur.',
    },
    { step: 'M7', ...yearsApart(3) },
    {
      step: 'M8',
      asks: 'Are both urothelial, each in renal pelvis, ureter, bladder or urethra?',
      means: SINGLE,
      when: both(eachOf(siteIn(SITES.urothelialSites), histologyIn(h.urothelial))),
      because: 'Urothelial tumors along the urinary tract are a single primary.',
    },
    { step: 'M9', ...DIFFERENT_STEM },
    { step: 'M10', ...DIFFERENT_CATEGORY },
    { step: 'M11', ...NOTHING_ELSE_APPLIES },
  ]
}
