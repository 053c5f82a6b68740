import { iarcPrimaries } from './iarc.ts'
import { raceRecode } from './race-recode.ts'
import { BEHAVIOR, HIST, type PatientRecode, SITE } from './recode.ts'
import { survivalTime } from './survival-time.ts'

const DATE = 'such as 20230401, 202304 or 2023; 99 and 9999 are unknown'
const DIAGNOSED = `Date of diagnosis, ${DATE}`
const SEQUENCE = 'Sequence number, 00 to 99, which puts tumours of one date in order'
const CONTACT = `Date of last contact, ${DATE}`
const VITAL_STATUS = 'Vital status: 1 alive, 0 dead'

/** Recodes of all tumors of a patient together. HTTP routes, batches and the command use this list. */
export const PATIENT_RECODES: readonly PatientRecode[] = Object.freeze([
  {
    id: 'iarc',
    name: 'IARC Multiple Primary',
    inputs: {},
    required: [],
    outputs: {},
    tumorInputs: {
      site: SITE,
      hist: HIST,
      behavior: BEHAVIOR,
      date_of_diagnosis: DIAGNOSED,
      sequence: SEQUENCE,
    },
    tumorOutputs: {
      primary: '1 a primary, 0 a duplicate of one, 9 not malignant',
      primary_hist: 'Of a primary: the most specific histology of it and its duplicates',
    },
    versions: [{ id: '2004', name: 'Rules of 2004', answer: iarcPrimaries }],
  },
  {
    id: 'survival-time',
    name: 'SEER Survival Time in Months',
    inputs: {
      end_year: 'The year at whose end the study ends',
      date_of_last_contact: CONTACT,
      vital_status: VITAL_STATUS,
      date_of_birth: `Date of birth, ${DATE}`,
    },
    required: ['end_year'],
    tumorInputs: {
      date_of_diagnosis: DIAGNOSED,
      sequence: SEQUENCE,
      reporting_source: 'Type of reporting source; 6 and 7 have no survival',
      date_of_last_contact: `${CONTACT}; where it is not that of the patient`,
      vital_status: `${VITAL_STATUS}; where it is not that of the patient`,
    },
    outputs: {
      vital_status_recode: 'Vital status at the end of the study; absent where tumours disagree',
      date_of_last_contact_recode: 'Last contact, filled and not after the end; absent if unknown',
      date_presumed_alive: 'The same, with who was alive taken to have lived to the end',
    },
    tumorOutputs: {
      months: 'Whole months until the last contact, four digits; 9999 unknown',
      flag: '0 none, 1 some, 2 may be none, 3 some by partial dates, 8 after death, 9 unknown',
      months_presumed_alive: 'The same until the date presumed alive',
      flag_presumed_alive: 'Its flag',
      days: 'Days until the last contact, five digits; 99999 where the months are unknown',
      days_presumed_alive: 'The same until the date presumed alive',
      date_of_diagnosis_recode: 'Date of diagnosis, filled; absent where it does not count',
      record_number: 'The place of the tumour among all, from 1',
    },
    versions: [{ id: '2.2', name: 'Version 2.2 of September 2014', answer: survivalTime }],
  },
  {
    id: 'race',
    name: 'SEER Race 1 Recode',
    inputs: {
      race1: 'Race 1, such as 01',
      race2: 'Race 2, such as 02; 88 for no further race',
      ihs_link: 'Link to the Indian Health Service: 1 linked, 0 not, 9 unknown',
    },
    required: [],
    tumorInputs: {
      date_of_diagnosis: `${DIAGNOSED}; before 1991 race 2 does not stand for another race`,
      state: 'State at diagnosis; where one is AK, race 1 is kept',
    },
    outputs: { race_recode: 'The race, two digits; 99 unknown' },
    tumorOutputs: {},
    versions: [{ id: '1', name: 'Version 1 of August 2024', answer: raceRecode }],
  },
] satisfies PatientRecode[])
