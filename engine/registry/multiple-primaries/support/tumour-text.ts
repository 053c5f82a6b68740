import type { Tumour } from '../tumour.ts'

/** `C509 8500/3 L1 2018-05-07`, of which the end may be left out. */
export function tumour(text: string): Tumour {
  const [site, morphology = '', side = '', date = ''] = text.split(' ')
  const [histology, behavior] = morphology.split('/')
  const [year, month, day] = date.split('-')
  return {
    primary_site: site ?? '',
    histology_icd_o3: histology ?? '',
    behavior_icd_o3: behavior ?? '',
    laterality: side.slice(1),
    date_of_diagnosis_year: year ?? '',
    date_of_diagnosis_month: month ?? '',
    date_of_diagnosis_day: day ?? '',
  }
}
