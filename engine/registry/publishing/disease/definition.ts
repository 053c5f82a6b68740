import { defineRecords, type MemberDefinition } from '../content/define-records.ts'
import type { ContentOf, Members } from '../content/members.ts'
import { NAME } from '../content/name.ts'
import { listOf, TEXT, TEXTS, textLike, wordOf } from '../content/shape.ts'
import { DATED_TEXT, SITE_RANGE, SOURCE, YEAR_RANGE, YEARS_NUMBER, YEARS_TEXT } from './ranges.ts'

const DISEASE_TYPES = ['SOLID_TUMOR', 'HEMATO', 'NON_NEOPLASTIC'] as const

const MORPHOLOGY = textLike({
  pattern: /^\d{4}\/\d$/,
  wanted: 'a histology and a behaviour, such as 9840/3',
})

/** Texts that are each valid for some years. */
const YEARS_TEXTS = listOf(YEARS_TEXT)
const ABOUT = { shape: YEARS_TEXTS, shown: 'FULL', weight: 1, explained: true } as const
const OTHER_DISEASES = { shape: YEARS_TEXTS, shown: 'FULL' } as const

/** Members of hematopoietic, solid and other diseases (registry.md 3, Disease). */
const MEMBERS = {
  name: NAME,
  type: { shape: wordOf(DISEASE_TYPES), needed: true, shown: 'MIN', filters: true, orders: true },
  icdO3_morphology: { shape: MORPHOLOGY, shown: 'PARTIAL', weight: 8, orders: true },
  icdO2_morphology: { shape: TEXTS, shown: 'FULL', weight: 4 },
  icdO1_morphology: { shape: TEXTS, shown: 'FULL', weight: 4 },
  icdO3_effective: { shape: YEAR_RANGE, shown: 'FULL' },
  icdO2_effective: { shape: YEAR_RANGE, shown: 'FULL' },
  icdO1_effective: { shape: YEAR_RANGE, shown: 'FULL' },
  primary_site: { shape: listOf(SITE_RANGE), shown: 'PARTIAL' },
  primary_site_text: { shape: TEXT, shown: 'PARTIAL', weight: 2, explained: true },
  site_category: { shape: TEXT, shown: 'PARTIAL', filters: true, orders: true },
  valid: { shape: YEAR_RANGE, shown: 'PARTIAL' },
  obsolete_new_code: { shape: TEXTS, shown: 'FULL', weight: 2 },
  reportable: { shape: listOf(YEAR_RANGE), shown: 'FULL' },
  icd_10cm_code: { shape: listOf(DATED_TEXT), shown: 'FULL', weight: 3 },
  icd_10_code: { shape: TEXTS, shown: 'FULL', weight: 3 },
  icd_9_code: { shape: TEXTS, shown: 'FULL', weight: 3 },
  source: { shape: listOf(SOURCE), shown: 'FULL' },
  grade: { shape: listOf(YEARS_NUMBER), shown: 'FULL' },
  abstractor_note: ABOUT,
  treatment: ABOUT,
  treatment_text: ABOUT,
  genetics: ABOUT,
  alternate_name: { shape: YEARS_TEXTS, shown: 'PARTIAL', weight: 6 },
  definition: { shape: YEARS_TEXTS, shown: 'PARTIAL', weight: 2, explained: true },
  signs: ABOUT,
  exams: ABOUT,
  mortality: ABOUT,
  recurrence: ABOUT,
  missing_primary_site_message: ABOUT,
  transform_to: OTHER_DISEASES,
  transform_to_text: ABOUT,
  transform_from: OTHER_DISEASES,
  transform_from_text: ABOUT,
  immunophenotype: ABOUT,
  diagnosis_method: ABOUT,
  module_id: ABOUT,
  same_primary: OTHER_DISEASES,
  // The public client uses this alternative name.
  same_primaries_text: { ...ABOUT, alias: 'same_primary_text' },
  progression: ABOUT,
  diagnostic_confirmation: ABOUT,
  biomarkers: ABOUT,
  metastatic: ABOUT,
} as const satisfies Members

/** A disease (registry.md 3, Disease). @interface */
export type Disease = ContentOf<typeof MEMBERS>

export const DISEASE: MemberDefinition<Disease> = defineRecords({
  area: 'disease',
  editor: 'DISEASE_EDITOR',
  name: 'Disease',
  members: MEMBERS,
})
