import type { JsonObject } from '../../../shared/input/json-value.ts'
import { RowError } from '../row-error.ts'
import { RANKS } from '../split-record.ts'
import { type NamedCells, readByName, type TableKind, wholeNumber } from '../table-kind.ts'
import { uuidIn } from '../uuid-cell.ts'
import { defined } from './download-manifest.ts'

const DAYS_PER_YEAR = 365.25

/** Cases as they were listed before the commons: names of the old dictionary, ages in years. */
export const legacyCases: TableKind = {
  name: 'legacy table of cases',
  needs: ['case_id', 'id', 'investigation', 'icd_o3histology'],
  open: (table) =>
    readByName(table, KNOWN, (cell) => {
      const id = uuidIn(cell('case_id'), 'case_id')
      if (id === undefined) throw new RowError('the row has no case_id')
      table.intake.record(
        'cases',
        defined({
          case_id: id,
          submitter_id: cell('id'),
          disease_type: cell('disease_type'),
          primary_site: cell('primary_site'),
          demographic: partOf(demographicOf(cell)),
          diagnoses: listOf(partOf(diagnosisOf(cell))),
          project: projectOf(cell),
        }),
        RANKS.hearsay,
      )
    }),
}

function projectOf(cell: NamedCells): JsonObject | undefined {
  const id = cell('investigation')
  if (id === undefined) return undefined
  const program = cell('program')
  return defined({
    project_id: id,
    // These studies are named for the disease of their cases.
    name: cell('disease_type'),
    program: program === undefined ? undefined : { name: program },
  })
}

function demographicOf(cell: NamedCells): JsonObject {
  return {
    gender: cell('gender')?.toLowerCase(),
    race: cell('race')?.toLowerCase(),
    ethnicity: cell('ethnicity')?.toLowerCase(),
    vital_status: cell('vital_status'),
    days_to_death: wholeNumber(cell('days_to_death')),
  }
}

function diagnosisOf(cell: NamedCells): JsonObject {
  return {
    age_at_diagnosis: daysOf(cell('age_at_diagnosis')),
    year_of_diagnosis: wholeNumber(cell('year_of_diagnosis')),
    days_to_last_follow_up: wholeNumber(cell('days_to_last_follow_up')),
    primary_diagnosis: cell('histological_diagnosis'),
    morphology: cell('icd_o3histology'),
    icd_10_code: cell('icd10') ?? cell('icd_o3site'),
    last_known_disease_status: tumorStatus(cell('tumor_status')),
    ajcc_pathologic_t: cell('pathologic_t'),
    ajcc_pathologic_n: cell('pathologic_n'),
    ajcc_pathologic_m: cell('pathologic_m'),
    ajcc_pathologic_stage: cell('pathologic_stage'),
    ajcc_clinical_t: cell('clinical_t'),
    ajcc_clinical_n: cell('clinical_n'),
    ajcc_clinical_m: cell('clinical_m'),
    ajcc_clinical_stage: cell('clinical_stage'),
    ...earlierTumors(cell('prior_diagnosis')),
  }
}

/** Days of a number of years. */
export function daysOf(years: string | undefined): number | undefined {
  const value = Number(years)
  if (years === undefined || !Number.isFinite(value)) return undefined
  return Math.round(value * DAYS_PER_YEAR)
}

function tumorStatus(text: string | undefined): string | undefined {
  return text && text.charAt(0) + text.slice(1).toLowerCase()
}

function earlierTumors(text: string | undefined): JsonObject {
  if (text === undefined) return {}
  if (/synchronous/i.test(text)) return { synchronous_malignancy: 'Yes' }
  return { prior_malignancy: /^yes/i.test(text) ? 'yes' : 'no' }
}

/** A part that says something, without what it does not say. */
export function partOf(part: JsonObject): JsonObject | undefined {
  const said = defined(part)
  return Object.keys(said).length > 0 ? said : undefined
}

export const listOf = (part: JsonObject | undefined) => (part === undefined ? undefined : [part])

const KNOWN = [
  'case_id',
  'id',
  'investigation',
  'program',
  'disease_type',
  'primary_site',
  'gender',
  'race',
  'ethnicity',
  'vital_status',
  'days_to_death',
  'age_at_diagnosis',
  'year_of_diagnosis',
  'days_to_last_follow_up',
  'histological_diagnosis',
  'icd_o3histology',
  'icd_o3site',
  'icd10',
  'tumor_status',
  'prior_diagnosis',
  'pathologic_t',
  'pathologic_n',
  'pathologic_m',
  'pathologic_stage',
  'clinical_t',
  'clinical_n',
  'clinical_m',
  'clinical_stage',
]
