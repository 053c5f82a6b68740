import { makeBehaviorRecode } from './behavior-recode.ts'
import { makeCauseOfDeath } from './cause-of-death.ts'
import { daysToTreatment } from './days-to-treatment.ts'
import { BEHAVIOR, HIST, type Recode, SITE, YEAR } from './recode.ts'
import { SITE_GROUPS, TUMOUR_GROUPS } from './site-groups.ts'
import { summaryGrade } from './summary-grade.ts'
import { makeTumourSize } from './tumour-size.ts'

/** What stands beside the site groups; paths, lines and the command follow from the list. */
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
      ...{ site: SITE, hist: HIST },
      year_last_contact: 'Year of last contact',
      cut_off_year: 'Who was in contact after this year counts as alive',
    },
    required: [],
    outputs: {
      cause_specific: '1 dead of the cancer, 0 not, 8 unknown, 9 not the first tumour',
      cause_other: '1 dead of something else, 0 not, 8 unknown, 9 not the first tumour',
    },
    versions: [{ id: '2008', name: 'By the site recode of 2008', make: makeCauseOfDeath }],
  },
  {
    id: 'tumor-size',
    name: 'SEER Tumor Size Over Time',
    inputs: {
      ...{ site: SITE, hist: HIST, behavior: BEHAVIOR, year: YEAR },
      eod_tumor_size: 'Size of 1988 to 2003',
      cs_tumor_size: 'Size of 2004 to 2015',
      tumor_size_summary: 'Size since 2016',
    },
    required: ['site', 'hist'],
    outputs: { tumor_size: 'Millimetres, or 990, 998, 999 or XX1; absent where no size is given' },
    versions: [{ id: '2024', name: 'Version 1.1 of March 2024', make: makeTumourSize }],
  },
] satisfies Recode[])

/** All that there are. */
export const RECODES: readonly Recode[] = Object.freeze([...SITE_GROUPS, ...OTHER_RECODES])
