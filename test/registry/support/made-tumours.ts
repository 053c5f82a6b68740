import type { Tumour } from '../../../engine/registry/multiple-primaries/tumour.ts'

/** A tumour of the right breast. */
export const BREAST = {
  primary_site: 'C504',
  histology_icd_o3: '8500',
  behavior_icd_o3: '3',
  laterality: '1',
  ...on('2020', '03', '15'),
} as const satisfies Tumour

export const LUNG = {
  ...BREAST,
  primary_site: 'C341',
  histology_icd_o3: '8070',
  ...on('2019', '07', '01'),
} as const satisfies Tumour

/** Hodgkin lymphoma, then another kind of it: one disease by the ranges that applied until 2000. */
export const HODGKIN = {
  primary_site: 'C770',
  histology_icd_o3: '9650',
  behavior_icd_o3: '3',
  ...on('1996', '05', '01'),
} as const satisfies Tumour
export const LATER_HODGKIN = {
  ...HODGKIN,
  histology_icd_o3: '9667',
  ...on('1997', '05', '01'),
} as const satisfies Tumour

/** Ranges by which these two are different diseases. */
export const OTHER_RANGES = [
  'HistologyLow,HistologyHigh,SameHistologyLow,SameHistologyHigh,HistologyGroup',
  '9590,9590,9591,9591,"Malignant lymphoma, NOS"',
  '',
].join('\n')

export function on(year: string, month: string, day: string) {
  return {
    date_of_diagnosis_year: year,
    date_of_diagnosis_month: month,
    date_of_diagnosis_day: day,
  } as const
}
