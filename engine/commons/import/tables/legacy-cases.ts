import type { ColumnTally } from '../../../shared/input/column-tally.ts'
import type { JsonObject } from '../../../shared/input/json-value.ts'
import { CELL_READERS } from '../cells.ts'
import { id, name, number, type RowOf, text, vital, whole } from '../columns.ts'
import { daysOf } from '../days-of-years.ts'
import { defined, listOf, partOf } from '../defined.ts'
import type { Intake } from '../intake.ts'
import { RowError } from '../row-error.ts'
import { RANKS } from '../split-record.ts'
import { declareTable } from '../table-kind.ts'

const COLUMNS = {
  caseId: id('case_id'),
  name: name('id'),
  project: text('investigation'),
  program: text('program'),
  diseaseType: text('disease_type'),
  primarySite: text('primary_site'),
  gender: text('gender'),
  race: text('race'),
  ethnicity: text('ethnicity'),
  vitalStatus: vital('vital_status'),
  daysToDeath: whole('days_to_death'),
  ageInYears: number('age_at_diagnosis'),
  year: whole('year_of_diagnosis'),
  daysToFollowUp: whole('days_to_last_follow_up'),
  diagnosis: text('histological_diagnosis'),
  morphology: text('icd_o3histology'),
  site: text('icd_o3site'),
  icd10: text('icd10'),
  tumorStatus: text('tumor_status'),
  priorDiagnosis: text('prior_diagnosis'),
  pathologicT: text('pathologic_t'),
  pathologicN: text('pathologic_n'),
  pathologicM: text('pathologic_m'),
  pathologicStage: text('pathologic_stage'),
  clinicalT: text('clinical_t'),
  clinicalN: text('clinical_n'),
  clinicalM: text('clinical_m'),
  clinicalStage: text('clinical_stage'),
}
type Row = RowOf<typeof COLUMNS>

/** Table of cases with the names of the old dictionary, and ages in years. */
export const legacyCases = declareTable({
  name: 'legacy table of cases',
  columns: COLUMNS,
  needs: ['caseId', 'name', 'project', 'morphology'],
  open:
    ({ intake }) =>
    (row) => {
      if (row.caseId === undefined) throw new RowError('the row has no case_id')
      intake.record(
        'cases',
        defined({
          case_id: row.caseId,
          submitter_id: row.name,
          disease_type: row.diseaseType,
          primary_site: row.primarySite,
          demographic: partOf(demographicOf(row, intake)),
          diagnoses: listOf(
            partOf({
              ...diagnosisOf(row),
              ...earlierTumors(row.priorDiagnosis, intake.tallyOf('prior_diagnosis')),
            }),
          ),
          project: projectOf(row),
        }),
        RANKS.hearsay,
      )
    },
})

function projectOf({ project, program, diseaseType }: Row): JsonObject | undefined {
  if (project === undefined) return undefined
  return defined({
    project_id: project,
    // In these studies, projects are named after the disease of their cases.
    name: diseaseType,
    program: program === undefined ? undefined : { name: program },
  })
}

function demographicOf(row: Row, intake: Intake): JsonObject {
  return {
    gender: row.gender?.toLowerCase(),
    race: row.race?.toLowerCase(),
    ethnicity: row.ethnicity?.toLowerCase(),
    vital_status: intake.vitalStatus(row.vitalStatus, row.daysToDeath),
    days_to_death: row.daysToDeath,
  }
}

function diagnosisOf(row: Row): JsonObject {
  return {
    age_at_diagnosis: daysOf(row.ageInYears),
    year_of_diagnosis: row.year,
    days_to_last_follow_up: row.daysToFollowUp,
    primary_diagnosis: row.diagnosis,
    morphology: row.morphology,
    icd_10_code: row.icd10 ?? row.site,
    last_known_disease_status: tumorStatus(row.tumorStatus),
    ajcc_pathologic_t: row.pathologicT,
    ajcc_pathologic_n: row.pathologicN,
    ajcc_pathologic_m: row.pathologicM,
    ajcc_pathologic_stage: row.pathologicStage,
    ajcc_clinical_t: row.clinicalT,
    ajcc_clinical_n: row.clinicalN,
    ajcc_clinical_m: row.clinicalM,
    ajcc_clinical_stage: row.clinicalStage,
  }
}

function tumorStatus(text: string | undefined): string | undefined {
  return text && text.charAt(0) + text.slice(1).toLowerCase()
}

/** Parses an answer such as `Yes, History of Synchronous/Bilateral Malignancy`. */
function earlierTumors(text: string | undefined, tally: ColumnTally): JsonObject {
  if (text === undefined) return {}
  const answer = CELL_READERS.truth(text.split(',', 1)[0] ?? '', '')
  if (/synchronous/i.test(text)) return { synchronous_malignancy: 'Yes' }
  if (typeof answer === 'boolean') return { prior_malignancy: answer ? 'yes' : 'no' }
  if (/^(unknown|not reported)$/i.test(text)) return { prior_malignancy: text.toLowerCase() }
  tally.addMisunderstood(text)
  return {}
}
