import { allOf } from '../answer.ts'
import { histologyIn } from '../codes.ts'
import { both, crossed, either, isInvasive } from '../conditions.ts'
import { HISTOLOGIES } from '../data/histologies.ts'
import { type Rule, SINGLE } from '../rule.ts'
import {
  DIFFERENT_SITE,
  DIFFERENT_STEM,
  INVASIVE_LONG_AFTER_IN_SITU,
  moreSpecific,
  NOTHING_ELSE_APPLIES,
  yearsApart,
} from '../stock-rules.ts'

/** Rules of mph_2007_to_2017_colon. */
export function colon2007(): readonly Rule[] {
  const { adenocarcinomaNos, adenocarcinomaSpecific } = HISTOLOGIES
  const isInPolyp = histologyIn(HISTOLOGIES.polyp)
  const isPolyposisWithPolyp = crossed(histologyIn(HISTOLOGIES.familialPolyposis), isInPolyp)
  return [
    {
      step: 'M3',
      asks: 'Is one an adenocarcinoma in familial polyposis, the other one in a polyp, and at least one invasive?',
      means: SINGLE,
      when: allOf(isPolyposisWithPolyp, either(isInvasive)),
      because: 'Cancers of one familial polyposis are a single primary.',
    },
    { step: 'M4', ...DIFFERENT_SITE },
    { step: 'M5', ...yearsApart(1) },
    { step: 'M6', ...INVASIVE_LONG_AFTER_IN_SITU },
    {
      step: 'M7',
      asks: 'Is one an adenocarcinoma and the other an adenocarcinoma in a polyp?',
      means: SINGLE,
      when: crossed(histologyIn(adenocarcinomaSpecific, adenocarcinomaNos), isInPolyp),
      because: 'An adenocarcinoma and one in a polyp of the same segment are a single primary.',
    },
    { step: 'M8', ...moreSpecific(8000, 8010, 8140, 8800) },
    {
      step: 'M9',
      asks: 'Are both adenocarcinomas in polyps?',
      means: SINGLE,
      when: both(isInPolyp),
      because: 'Adenocarcinomas in several polyps of one segment are a single primary.',
    },
    { step: 'M10', ...DIFFERENT_STEM },
    { step: 'M11', ...NOTHING_ELSE_APPLIES },
  ]
}
