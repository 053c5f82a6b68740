import { branchesOf, histologyIn } from '../codes.ts'
import { isSameHistology, never } from '../conditions.ts'
import {
  BENIGN_BRAIN_2007,
  MALIGNANT_BRAIN_2007_NEUROEPITHELIAL,
  MALIGNANT_BRAIN_2007_OTHER,
} from '../data/brain-charts.ts'
import { HISTOLOGIES } from '../data/histologies.ts'
import { PAIRED_SITES } from '../data/paired-sites.ts'
import type { Diagnosis } from '../diagnosis.ts'
import { MULTIPLE, type Rule, SINGLE, type StockRule } from '../rule.ts'
import {
  DIFFERENT_CATEGORY,
  DIFFERENT_SITE,
  DIFFERENT_STEM,
  NOTHING_ELSE_APPLIES,
  onOppositeSidesOf,
} from '../stock-rules.ts'
import { comesAfter } from '../timing.ts'

export const INVASIVE_AND_BENIGN: StockRule = {
  asks: 'Is one tumor malignant and the other benign or borderline?',
  means: MULTIPLE,
  when: never,
  because: 'Tumors of both behaviors are in different groups, so this rule is never applied here.',
}

function progression(later: string, earlier: string, name: string): StockRule {
  return {
    asks: `Was ${name} ${earlier} followed by ${later}?`,
    means: SINGLE,
    when: comesAfter(histologyIn(later), histologyIn(earlier)),
    because: `${later} after ${earlier} is a progression of the same primary.`,
  }
}

/** Rules of mph_2007_to_2017_benign_brain. */
export function benignBrain2007(): readonly Rule[] {
  const branchOf = branchesOf(BENIGN_BRAIN_2007)
  const areOnChart = (one: Diagnosis, other: Diagnosis) =>
    branchOf(one) !== 0 && branchOf(other) !== 0
  return [
    { step: 'M3', ...INVASIVE_AND_BENIGN },
    { step: 'M4', ...DIFFERENT_SITE },
    { step: 'M5', ...onOppositeSidesOf(PAIRED_SITES.benignBrain2007) },
    { step: 'M6', ...progression('9390/1', '9390/0', 'choroid plexus papilloma') },
    { step: 'M7', ...progression('9540/1', '9540/0', 'neurofibroma') },
    {
      step: 'M8',
      asks: 'Are both histologies on the same branch of Chart 1?',
      means: SINGLE,
      when: (one, other) => areOnChart(one, other) && branchOf(one) === branchOf(other),
      because: 'Histologies of one branch of the chart are a single primary.',
    },
    {
      step: 'M9',
      asks: 'Are the histologies on different branches of Chart 1?',
      means: MULTIPLE,
      when: areOnChart,
      because: 'Histologies of different branches of the chart are multiple primaries.',
    },
    {
      step: 'M10',
      asks: 'Is one histology on Chart 1 and the other not?',
      means: MULTIPLE,
      when: (one, other) => branchOf(one) !== branchOf(other),
      because: 'A histology of the chart and one that is not on it are multiple primaries.',
    },
    { step: 'M11', ...DIFFERENT_STEM },
    { step: 'M12', ...NOTHING_ELSE_APPLIES },
  ]
}

/** Rules of mph_2007_to_2017_malignant_brain. */
export function malignantBrain2007(): readonly Rule[] {
  const charts = [MALIGNANT_BRAIN_2007_NEUROEPITHELIAL, MALIGNANT_BRAIN_2007_OTHER].map(branchesOf)
  const becomesGlioblastoma = comesAfter(
    histologyIn(HISTOLOGIES.glioblastoma),
    histologyIn(HISTOLOGIES.glialTumors),
  )
  return [
    { step: 'M4', ...INVASIVE_AND_BENIGN },
    { step: 'M5', ...DIFFERENT_CATEGORY },
    {
      step: 'M6',
      asks: 'Was a glial tumor followed by a glioblastoma (9440)?',
      means: SINGLE,
      when: (one, other) => !isSameHistology(one, other) && becomesGlioblastoma(one, other),
      because: 'A glioblastoma after another glial tumor is a progression of it.',
    },
    {
      step: 'M7',
      asks: 'Are both histologies on the same branch of Chart 1 or Chart 2?',
      means: SINGLE,
      when: (one, other) => charts.some((branches) => (branches(one) & branches(other)) !== 0),
      because: 'Histologies of one branch are a single primary.',
    },
    {
      step: 'M8',
      asks: 'Are the histologies on different branches of Chart 1 or Chart 2?',
      means: MULTIPLE,
      when: (one, other) => charts.some((branches) => branches(one) !== 0 && branches(other) !== 0),
      because: 'Histologies of different branches are multiple primaries.',
    },
    { step: 'M9', ...DIFFERENT_STEM },
    { step: 'M10', ...NOTHING_ELSE_APPLIES },
  ]
}
