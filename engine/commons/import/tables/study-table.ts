import { name, number, type RowOf, text, vital, whole } from '../columns.ts'
import { daysOf } from '../days-of-years.ts'
import { defined, listOf, partOf } from '../defined.ts'
import { RowError } from '../row-error.ts'
import { RANKS } from '../split-record.ts'
import { declareTable } from '../table-kind.ts'

const COLUMNS = {
  name: name('patientID'),
  ageInYears: number('years_to_birth'),
  vitalStatus: vital('vital_status'),
  daysToDeath: whole('days_to_death'),
  daysToFollowUp: whole('days_to_last_followup'),
  stage: text('pathologic_stage'),
  tStage: text('pathology_T_stage'),
  nStage: text('pathology_N_stage'),
  mStage: text('pathology_M_stage'),
  gender: text('gender'),
  race: text('race'),
  ethnicity: text('ethnicity'),
  year: whole('date_of_initial_pathologic_diagnosis'),
  histology: text('histological_type'),
  residual: text('residual_tumor'),
}
type Row = RowOf<typeof COLUMNS>

/** A clinical table of a published study, with cases by submitter id and values in lower case. */
export const studyTable = declareTable({
  name: 'clinical table of a study',
  columns: COLUMNS,
  needs: ['name', 'ageInYears', 'vitalStatus'],
  open:
    ({ intake }) =>
    (row) => {
      if (row.name === undefined) throw new RowError('the row has no patientID')
      const demographic = partOf({
        gender: row.gender,
        race: row.race,
        ethnicity: row.ethnicity,
        vital_status: intake.vitalStatus(row.vitalStatus, row.daysToDeath),
        days_to_death: row.daysToDeath,
      })
      const diagnoses = listOf(partOf(diagnosisOf(row)))
      // Notes below a table have only the first cell, like a patient of whom nothing is known.
      if (!demographic && !diagnoses) {
        throw new RowError(`the row says nothing of a patient called "${row.name}"`)
      }
      const document = defined({ submitter_id: row.name, demographic, diagnoses })
      intake.record('cases', document, RANKS.hearsay)
    },
})

const diagnosisOf = (row: Row) => ({
  age_at_diagnosis: daysOf(row.ageInYears),
  year_of_diagnosis: row.year,
  days_to_last_follow_up: row.daysToFollowUp,
  primary_diagnosis: row.histology,
  residual_disease: row.residual?.toUpperCase(),
  ajcc_pathologic_t: row.tStage?.toUpperCase(),
  ajcc_pathologic_n: row.nStage?.toUpperCase(),
  ajcc_pathologic_m: row.mStage?.toUpperCase(),
  ajcc_pathologic_stage: row.stage?.toUpperCase().replace('STAGE', 'Stage'),
})
