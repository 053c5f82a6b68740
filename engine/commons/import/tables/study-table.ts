import { RowError } from '../row-error.ts'
import { RANKS } from '../split-record.ts'
import { type NamedCells, readByName, type TableKind, wholeNumber } from '../table-kind.ts'
import { defined } from './download-manifest.ts'
import { daysOf, listOf, partOf } from './legacy-cases.ts'

/** Clinical tables of published studies: cases by the submitter's name, values in lower case. */
export const studyTable: TableKind = {
  name: 'clinical table of a study',
  needs: ['patientID', 'years_to_birth', 'vital_status'],
  open: (table) =>
    readByName(table, KNOWN, (cell) => {
      const name = cell('patientID')
      if (name === undefined) throw new RowError('the row has no patientID')
      table.intake.record(
        'cases',
        defined({
          submitter_id: name,
          demographic: partOf({
            gender: cell('gender'),
            race: cell('race'),
            ethnicity: cell('ethnicity'),
            vital_status: vitalStatus(cell('vital_status')),
            days_to_death: wholeNumber(cell('days_to_death')),
          }),
          diagnoses: listOf(partOf(diagnosisOf(cell))),
        }),
        RANKS.hearsay,
      )
    }),
}

const diagnosisOf = (cell: NamedCells) => ({
  age_at_diagnosis: daysOf(cell('years_to_birth')),
  year_of_diagnosis: wholeNumber(cell('date_of_initial_pathologic_diagnosis')),
  days_to_last_follow_up: wholeNumber(cell('days_to_last_followup')),
  primary_diagnosis: cell('histological_type'),
  residual_disease: cell('residual_tumor')?.toUpperCase(),
  ajcc_pathologic_t: cell('pathology_T_stage')?.toUpperCase(),
  ajcc_pathologic_n: cell('pathology_N_stage')?.toUpperCase(),
  ajcc_pathologic_m: cell('pathology_M_stage')?.toUpperCase(),
  ajcc_pathologic_stage: cell('pathologic_stage')?.toUpperCase().replace('STAGE', 'Stage'),
})

function vitalStatus(code: string | undefined): string | undefined {
  if (code === '0') return 'Alive'
  return code === '1' ? 'Dead' : code
}

const KNOWN = [
  'patientID',
  'years_to_birth',
  'vital_status',
  'days_to_death',
  'days_to_last_followup',
  'pathologic_stage',
  'pathology_T_stage',
  'pathology_N_stage',
  'pathology_M_stage',
  'gender',
  'race',
  'ethnicity',
  'date_of_initial_pathologic_diagnosis',
  'histological_type',
  'residual_tumor',
]
