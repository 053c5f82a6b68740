import { caseInBarcode } from '../biospecimen/barcode.ts'
import { RowError } from '../row-error.ts'
import { RANKS } from '../split-record.ts'
import { type NamedCells, readByName, type TableKind } from '../table-kind.ts'
import { defined } from './download-manifest.ts'

const PATIENT = ['_PATIENT', 'bcr_patient_barcode', 'submitter_id', 'case_submitter_id']
const SAMPLE = ['sample', 'sampleID']
const DAYS = ['OS.time', 'OS_time', 'OS.Time']

/** Overall survival as published cohorts have it: whether the patient died, and after how many days. */
export const survivalTable: TableKind = {
  name: 'survival table',
  needs: [[...PATIENT, ...SAMPLE], 'OS', DAYS],
  open: (table) =>
    readByName(table, [...PATIENT, ...SAMPLE, ...DAYS, 'OS'], (cell) => {
      const name = nameIn(cell)
      const event = cell('OS')
      const days = firstOf(cell, DAYS)
      // Patients who were lost at once have neither.
      if (event === undefined || days === undefined) return
      if (!/^[01](\.0)?$/.test(event)) throw new RowError(`OS is "${event}", not 0 or 1`)
      if (!/^\d{1,6}(\.0)?$/.test(days))
        throw new RowError(`the time "${days}" is no number of days`)
      const isDead = Number(event) === 1
      table.intake.record(
        'cases',
        defined({
          submitter_id: name,
          demographic: isDead
            ? { vital_status: 'Dead', days_to_death: Number(days) }
            : { vital_status: 'Alive' },
          diagnoses: isDead ? undefined : [{ days_to_last_follow_up: Number(days) }],
        }),
        RANKS.hearsay,
      )
    }),
}

function nameIn(cell: NamedCells): string {
  const sample = firstOf(cell, SAMPLE)
  const name = firstOf(cell, PATIENT) ?? caseInBarcode(sample ?? '')
  if (name !== undefined) return name
  throw new RowError(
    sample === undefined
      ? 'the row names no patient'
      : `the row names a sample whose name does not tell its patient; add a column ${PATIENT[0]}`,
  )
}

const firstOf = (cell: NamedCells, names: readonly string[]) =>
  names.map(cell).find((text) => text !== undefined)
