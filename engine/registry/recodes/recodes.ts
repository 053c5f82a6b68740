import { makeBehaviorRecode } from './behavior-recode.ts'
import { breastSubtype } from './breast-subtype.ts'
import { makeCauseOfDeath2008, makeCauseOfDeath2023 } from './cause-of-death.ts'
import { ICD_9_CM } from './data/icd-9-cm.ts'
import { ICD_10 } from './data/icd-10.ts'
import { ICD_10_CM } from './data/icd-10-cm.ts'
import { daysToTreatment } from './days-to-treatment.ts'
import { ICD_OUTPUTS, icdToO3, unspecified } from './icd-to-o3.ts'
import { CONVERSIONS, makeO3ToO2 } from './o3-to-o2.ts'
import { BEHAVIOR, HIST, type Recode, SITE, YEAR } from './recode.ts'
import { SITE_GROUPS, TUMOUR_GROUPS } from './site-groups.ts'
import { summaryGrade } from './summary-grade.ts'
import { makeTumourSize } from './tumour-size.ts'

/** Recodes other than site groups. HTTP routes, batches and the command use this list. */
export const OTHER_RECODES: readonly Recode[] = Object.freeze([
  ...TUMOUR_GROUPS,
  {
    id: 'behavior',
    name: 'SEER Behavior Recode',
    inputs: { site: SITE, hist: HIST, behavior: BEHAVIOR, year: YEAR },
    required: ['site', 'hist'],
    outputs: { recode: '0 to 6; 9 where something is not known' },
    versions: [{ id: '2010', name: 'For years before and after 2010', make: makeBehaviorRecode }],
  },
  {
    id: 'summary-grade',
    name: 'Derived Summary Grade',
    inputs: {
      schema_id: 'Schema of the staging algorithm EOD, such as 00480 for breast',
      behavior: `${BEHAVIOR}; counts for breast`,
      grade_clinical: 'Clinical grade',
      grade_pathological: 'Pathological grade',
    },
    required: [],
    outputs: { grade: 'The higher grade; absent where neither counts' },
    versions: [{ id: '2018', name: '2018', make: () => summaryGrade }],
  },
  {
    id: 'days-to-treatment',
    name: 'Days from Diagnosis to Treatment',
    inputs: { date_of_diagnosis: 'Such as 20230401', date_of_treatment: 'Such as 20230515' },
    required: [],
    outputs: { days: '000 to 998; 999 where a date is not known' },
    versions: [{ id: '1', name: '1', make: () => daysToTreatment }],
  },
  {
    id: 'cause-of-death',
    name: 'SEER Cause-specific Death Classification',
    inputs: {
      sequence: 'Sequence number, 00 to 59',
      icd_revision: 'Revision of the cause: 8, 9, 1 for the tenth, 0 for alive',
      cause_of_death: 'Cause by that revision, such as C509',
      site: SITE,
      hist: HIST,
      behavior: `${BEHAVIOR}; counts in the edition of 2023`,
      year: `${YEAR}; counts in the edition of 2023`,
      year_last_contact: 'Year of last contact',
      cut_off_year: 'Who was in contact after this year counts as alive',
    },
    required: [],
    outputs: {
      cause_specific:
        '1 dead of the cancer, 0 not, 8 unknown, 9 for another sequence than 00 to 59',
      cause_other:
        '1 dead of something else, 0 not, 8 unknown, 9 for another sequence than 00 to 59',
    },
    versions: [
      { id: '2008', name: 'By the site recode of 2008', make: makeCauseOfDeath2008 },
      { id: '2023', name: 'By the site recode of 2023', make: makeCauseOfDeath2023 },
    ],
  },
  {
    id: 'tumor-size',
    name: 'SEER Tumor Size Over Time',
    inputs: {
      site: SITE,
      hist: HIST,
      behavior: BEHAVIOR,
      year: YEAR,
      eod_tumor_size: 'Size of 1988 to 2003',
      cs_tumor_size: 'Size of 2004 to 2015',
      tumor_size_summary: 'Size since 2016',
    },
    required: ['site', 'hist'],
    outputs: { tumor_size: 'Millimetres, or 990, 998, 999 or XX1; absent where no size is given' },
    versions: [{ id: '2024', name: 'Version 1.1 of March 2024', make: makeTumourSize }],
  },
  {
    id: 'breast-subtype',
    name: 'SEER Breast Subtype',
    inputs: {
      site: SITE,
      hist: HIST,
      year: YEAR,
      cs_factor_1: 'Estrogen receptor of 2010 to 2017, a factor of Collaborative Stage: 010, 020',
      cs_factor_2: 'Progesterone receptor of 2010 to 2017',
      cs_factor_9: 'HER2 by immunohistochemistry of 2010 to 2017',
      cs_factor_11: 'HER2 by FISH of 2010 to 2017',
      cs_factor_13: 'HER2 by CISH of 2010 to 2017',
      cs_factor_14: 'HER2 by another test of 2010 to 2017',
      cs_factor_15: 'Summary of HER2 of 2010 to 2017; tests count where it is empty or 988',
      er_summary: 'Estrogen receptor since 2018: 1 positive, 0 negative',
      pr_summary: 'Progesterone receptor since 2018',
      her2_summary: 'HER2 since 2018',
    },
    required: ['site', 'hist'],
    outputs: {
      er: 'Estrogen receptor: 1 positive, 2 negative, 4 unknown, 9 not a breast cancer since 2010',
      pr: 'Progesterone receptor, likewise',
      her2: 'HER2, likewise',
      subtype: '1 HR+/HER2+, 2 HR-/HER2+, 3 HR+/HER2-, 4 HR-/HER2-, 5 unknown, 9 not coded',
    },
    versions: [{ id: '2025', name: 'September 2025', make: () => breastSubtype }],
  },
  {
    id: 'icd-10-cm',
    name: 'ICD-10-CM to ICD-O-3',
    inputs: { code: 'Code of ICD-10-CM, such as C50.911 or C50911' },
    required: ['code'],
    outputs: ICD_OUTPUTS,
    versions: [{ id: '1', name: '1', make: () => icdToO3(ICD_10_CM) }],
  },
  {
    id: 'icd-10',
    name: 'ICD-10 to ICD-O-3',
    inputs: { code: 'Code of ICD-10, such as C50.9 or C509; C50 is C509' },
    required: ['code'],
    outputs: ICD_OUTPUTS,
    versions: [{ id: '1', name: '1', make: () => icdToO3(ICD_10, unspecified) }],
  },
  {
    id: 'icd-9-cm',
    name: 'ICD-9-CM to ICD-O-3',
    inputs: {
      code: 'Code of ICD-9-CM, such as 174.9 or 1749',
      sex: '1 for men, 2 for women; some codes mean other tumours then',
    },
    required: ['code'],
    outputs: ICD_OUTPUTS,
    versions: [{ id: '1', name: '1', make: () => icdToO3(ICD_9_CM) }],
  },
  {
    id: 'icd-o-2',
    name: 'ICD-O-3 to ICD-O-2',
    inputs: { site: SITE, hist: HIST, behavior: `${BEHAVIOR}, also 6 and 9` },
    required: ['site', 'hist'],
    outputs: {
      hist_icd_o_2: 'Histology by ICD-O-2; absent where the input is not valid',
      behavior_icd_o_2: 'Behavior by ICD-O-2; absent where the input is not valid',
      conversion: CONVERSIONS,
    },
    versions: [{ id: '1', name: '1', make: makeO3ToO2 }],
  },
] satisfies Recode[])

/** All recodes of cases. */
export const RECODES: readonly Recode[] = Object.freeze([...SITE_GROUPS, ...OTHER_RECODES])
