import { caseInBarcode } from '../biospecimen/barcode.ts'
import { name, number } from '../columns.ts'
import { defined } from '../defined.ts'
import { RowError } from '../row-error.ts'
import { Specimens } from '../specimens.ts'
import { RANKS } from '../split-record.ts'
import { declareTable } from '../table-kind.ts'

const COLUMNS = {
  patient: name('_PATIENT', 'bcr_patient_barcode', 'submitter_id', 'case_submitter_id'),
  sample: name('sample', 'sampleID'),
  event: number('OS'),
  days: number('OS.time', 'OS_time', 'OS.Time'),
}
const WITHOUT_TIME = 'left out, because the row has no time'
const OTHER_CODES = 'rows have the event 2, as where 1 means alive and 2 dead; here 1 means dead'
const WITHOUT_EVENT = 'left out, because the row does not say whether the patient died'

const WITHOUT_BOTH = 'left out, because the row has neither the time nor the outcome'

/** Largest plausible number of days, far beyond any lifespan. */
const MAX_DAYS = 999_999

/**
 * A table of overall survival, as in published cohorts: whether the patient died, and after how many days.
 */
export const survivalTable = declareTable({
  name: 'survival table',
  needsCases: true,
  columns: COLUMNS,
  needs: [['patient', 'sample'], 'event', 'days'],
  open({ header, intake, cases }) {
    const specimens = new Specimens(cases, intake.joins)
    const [eventColumn = '', timeColumn = ''] = [COLUMNS.event, COLUMNS.days].map(({ names }) =>
      names.find((each) => header.includes(each)),
    )
    return (row) => {
      const { patient, sample, event, days } = row
      if (patient === undefined && sample === undefined) {
        throw new RowError('the row names no patient')
      }
      if (event === undefined || days === undefined) {
        // Patients who were lost at once have neither value.
        if (event === undefined && days === undefined) {
          intake.tallyOf(eventColumn).addChange(WITHOUT_BOTH)
        }
        if (event !== undefined) intake.tallyOf(eventColumn).addChange(WITHOUT_TIME)
        if (days !== undefined) intake.tallyOf(timeColumn).addChange(WITHOUT_EVENT)
        return
      }
      if (event === 2) intake.doubt(OTHER_CODES, '2')
      if (event !== 0 && event !== 1) throw new RowError(`OS is "${event}", not 0 or 1`)
      if (!Number.isInteger(days) || days < 0 || days > MAX_DAYS) {
        throw new RowError(`the time "${days}" is no number of days`)
      }
      const isKnown = (name: string) =>
        caseInBarcode(name) !== undefined || cases?.ofEntity(name) || cases?.isShared(name)
      if (patient === undefined && !isKnown(sample ?? '')) {
        const hint = `add a column ${COLUMNS.patient.names[0]}`
        throw new RowError(
          `the row names a sample whose name does not contain its patient; ${hint}`,
        )
      }
      intake.record(
        'cases',
        defined({ ...specimens.of(patient, sample).link, ...outcome(event === 1, days) }),
        RANKS.hearsay,
      )
    }
  },
})

const outcome = (isDead: boolean, days: number) =>
  isDead
    ? { demographic: { vital_status: 'Dead', days_to_death: days } }
    : {
        demographic: { vital_status: 'Alive' },
        diagnoses: [{ days_to_last_follow_up: days }],
      }
