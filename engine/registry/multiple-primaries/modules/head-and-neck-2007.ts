import { siteIn } from '../codes.ts'
import { crossed } from '../conditions.ts'
import { PAIRED_SITES } from '../data/paired-sites.ts'
import { SITES } from '../data/sites.ts'
import { MULTIPLE, type Rule } from '../rule.ts'
import {
  DIFFERENT_CATEGORY,
  DIFFERENT_STEM,
  INVASIVE_LONG_AFTER_IN_SITU,
  moreSpecific,
  NOTHING_ELSE_APPLIES,
  onOppositeSidesOf,
  yearsApart,
} from '../stock-rules.ts'

/** Rules of mph_2007_to_2017_head_and_neck. */
export function headAndNeck2007(): readonly Rule[] {
  return [
    { step: 'M3', ...onOppositeSidesOf(PAIRED_SITES.headAndNeck2007) },
    {
      step: 'M4',
      asks: 'Is one tumor on the upper lip and the other on the lower lip?',
      means: MULTIPLE,
      when: crossed(siteIn(SITES.upperLip), siteIn(SITES.lowerLip)),
      because: 'Upper and lower lip are two primary sites.',
    },
    {
      step: 'M5',
      asks: 'Is one tumor on the upper gum and the other on the lower gum?',
      means: MULTIPLE,
      when: crossed(siteIn(SITES.upperGum), siteIn(SITES.lowerGum)),
      because: 'Upper and lower gum are two primary sites.',
    },
    {
      step: 'M6',
      asks: 'Is one tumor in the nasal cavity and the other in the middle ear?',
      means: MULTIPLE,
      when: crossed(siteIn(SITES.nasalCavity), siteIn(SITES.middleEar)),
      because: 'Nasal cavity and middle ear are two primary sites.',
    },
    { step: 'M7', ...DIFFERENT_CATEGORY },
    { step: 'M8', ...INVASIVE_LONG_AFTER_IN_SITU },
    { step: 'M9', ...yearsApart(5) },
    { step: 'M10', ...moreSpecific(8000, 8010, 8140, 8070, 8720, 8800) },
    { step: 'M11', ...DIFFERENT_STEM },
    { step: 'M12', ...NOTHING_ELSE_APPLIES },
  ]
}
