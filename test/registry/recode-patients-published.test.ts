import { describe, expect, test } from 'vitest'
import { Recodes } from '../../engine/registry/index.ts'

// Assertions of the published library (registry-lookups.md 4: IarcUtilsTest, SurvivalTimeUtilsTest), with its
// inputs and expected values unchanged.

const recodes = new Recodes({ clock: () => new Date('2026-01-02T03:04:05Z') })

/** Parses `20170105 01 C549 8000 3`: date, sequence, site, histology and behavior. */
function tumorOf(text: string) {
  const [date_of_diagnosis, sequence, site, hist, behavior] = text.split(' ')
  return { date_of_diagnosis, sequence, site, hist, behavior }
}

describe('international multiple primaries', () => {
  test.each([
    [['20170105 01 C549 8000 3'], '1'],
    [['20170105 01 C549 8000 2'], '9'],
    [['20170105 01 C679 8000 2'], '1'],
    // Kaposi sarcoma of any site is one group; if the month is unknown, the sequence decides.
    [['20019901 01 C239 9140 3', '20019930 00 C679 9140 3'], '01'],
    // These are blood tumours: one group, and one group with an unspecified one.
    [['20010227 00 C090 9597 3', '20010226 01 C339 9940 3'], '01'],
    [['20010226 61 C090 9656 3', '20010226 99 C339 9975 3'], '01'],
    [['20010226 61 C090 9656 3', '20010226 99 C339 9597 3'], '11'],
    // These are of one site: one group, different groups, and an unspecified group.
    [['20010226 01 C000 8030 3', '20011126 00 C065 8671 3'], '10'],
    [['20010226 01 C000 8030 3', '20011126 00 C065 8100 3'], '11'],
    [['99990226 01 C000 8050 3', '99991126 00 C065 8100 3'], '01'],
    [['8827 00 XYZ 9597 3', '66dd 01 C339 HIST 3'], '11'],
  ])('%j', (tumors, wanted) => {
    const told = recodes.recodePatient({ tumors: tumors.map(tumorOf) }, { recode: 'iarc' })
    expect(told.tumors.map(({ primary }) => primary).join('')).toBe(wanted)
  })

  // Patients of the library's own file of expectations (src/test/resources/iarc/iarc.txt): its columns give
  // date, sequence, site, histology and behavior, and the indicator precedes each group.
  test.each([
    [
      [
        '19881101 01 C503 8500 3',
        '19961102 02 C504 8503 3',
        '20010703 03 C541 8380 3',
        '20031104 04 C504 8522 2',
      ],
      '1019',
    ],
    [['20080802 02 C220 8170 3', '20111203 03 C220 8170 3', '20121104 04 C221 8160 3'], '101'],
    [['19880301 01 C187 8140 3', '19990302 02 C809 8140 3'], '11'],
    [['19880802 01 C184 8140 3', '20031203 02 C189 8140 3'], '10'],
    [['19880302 01 C182 8260 3', '19980403 02 C171 8140 3'], '11'],
    [['19850901 01 C501 8500 3', '20001002 02 C209 8140 3'], '11'],
    [['19840701 01 C659 8800 3', '19950702 02 C112 8010 3'], '11'],
    [['19870701 01 C421 9863 3', '20080502 02 C341 8140 3'], '11'],
    [['19871101 01 C649 8312 3', '19900902 02 C449 9140 3', '20030303 03 C619 8140 3'], '111'],
    [['19880801 01 C508 8500 3', '19880802 02 C502 8500 3'], '10'],
    [['19861201 01 C187 8140 3', '20000702 02 C187 8140 3', '20010503 03 C186 8140 3'], '100'],
    [['19860101 01 C184 8140 3', '19920502 02 C161 8010 3'], '11'],
    [['19840301 01 C509 8521 3', '19970204 02 C569 8140 3', '20130605 03 C341 8140 3'], '111'],
    [['19840601 01 C186 8260 3', '19950502 02 C182 8263 3'], '10'],
    // An in situ tumour of the bladder counts.
    [['19840101 01 C678 8130 2', '19950902 02 C659 8312 3'], '11'],
    [['19850301 01 C674 8130 2', '20041202 02 C343 8046 3'], '11'],
  ])('of the file %j', (tumors, wanted) => {
    const told = recodes.recodePatient({ tumors: tumors.map(tumorOf) }, { recode: 'iarc' })
    expect(told.tumors.map(({ primary }) => primary).join('')).toBe(wanted)
  })

  test('a primary has the most specific histology of its duplicates', () => {
    const tumors = ['20010226 61 C090 9656 3', '20010226 99 C339 9975 3'].map(tumorOf)
    const told = recodes.recodePatient({ tumors }, { recode: 'iarc' })
    expect(told.tumors.map((one) => one.primary_hist)).toEqual([undefined, '9656'])
  })
})

/** Sequences have two digits; -1 means none. */
const two = (text: string) => (text === '-1' ? undefined : text.padStart(2, '0'))

interface Patient {
  readonly what: string
  readonly end: string
  readonly contact: string
  readonly birth?: string
  readonly status: string
  /** Each tumour: date, sequence, reporting source (1), and optionally its own last contact or vital status. */
  readonly tumors: readonly string[]
  /** The patient's vital status, last contact, and the one if presumed alive; `-` for none. */
  readonly patient?: string
  /** The expected months, flag, both if presumed alive, record number, and date of diagnosis. */
  readonly answers: readonly string[]
}

const PATIENTS: readonly Patient[] = [
  {
    what: 'last contacts that differ',
    end: '2010',
    contact: '20101011',
    status: '0',
    tumors: ['20080101 1', '20110102 2', '20100301 3 1 20101021', '20071111 4'],
    patient: '0 - -',
    answers: ['9999 9 9999 9 2 -', '9999 9 9999 9 4 -', '9999 9 9999 9 3 -', '9999 9 9999 9 1 -'],
  },
  {
    what: 'vital statuses that differ',
    end: '2010',
    contact: '20101011',
    status: '0',
    tumors: ['20080101 1 1 20101011 1', '20100102 2'],
    patient: '- - -',
    answers: ['9999 9 9999 9 1 -', '9999 9 9999 9 2 -'],
  },
  {
    what: 'dead in the future',
    end: '2010',
    contact: '20270101',
    status: '0',
    tumors: ['20100915 1'],
    patient: '0 - -',
    answers: ['9999 9 9999 9 1 20100915'],
  },
  {
    what: 'seen alive tomorrow',
    end: '2010',
    contact: '20260103',
    status: '1',
    tumors: ['20100915 -1'],
    patient: '1 - 20101231',
    answers: ['9999 9 0003 1 1 20100915'],
  },
  {
    what: 'a diagnosis after the end',
    end: '2010',
    contact: '2010',
    status: '1',
    tumors: ['20110915 1'],
    patient: '1 20100702 20101231',
    answers: ['9999 9 9999 9 1 -'],
  },
  {
    what: 'dates of all kinds',
    end: '2010',
    contact: '20091199',
    status: '1',
    birth: '20080304',
    tumors: [
      ...['20090901 1', '20089999 2', '20080399 3', '99999999 4', '20099923 5', '20080405 6'],
      '20091199 7',
    ],
    patient: '1 20091122 20101231',
    answers: [
      '0002 3 0015 1 4 20090901',
      '0020 3 0033 3 1 20080310',
      '0020 3 0033 3 2 20080316',
      '9999 9 9999 9 5 -',
      '0001 2 0014 3 6 20091008',
      '0019 3 0032 1 3 20080405',
      '0000 2 0013 3 7 20091115',
    ],
  },
  {
    what: 'a day, and no day',
    end: '2010',
    contact: '20091111',
    status: '1',
    birth: '20080304',
    tumors: ['20091110 1', '20091111 2'],
    patient: '1 20091111 20101231',
    answers: ['0000 1 0013 1 1 20091110', '0000 0 0013 1 2 20091111'],
  },
  {
    what: 'what is known after death alone',
    end: '2010',
    contact: '2010',
    status: '0',
    birth: '20080304',
    tumors: ['2008 1', '2010 2 6', '201003 3 7', '2010 4'],
    patient: '0 20101019 20101019',
    answers: [
      '0026 3 0026 3 1 20080802',
      '9999 8 9999 8 2 20100207',
      '9999 8 9999 8 3 20100316',
      '0002 2 0002 2 4 20100808',
    ],
  },
  {
    what: 'an hour that summer time leaves out',
    end: '2010',
    contact: '20100314',
    status: '1',
    birth: '20080304',
    tumors: ['20100314 1'],
    answers: ['0000 0 0009 1 1 20100314'],
  },
  {
    what: 'both diagnoses after the end',
    end: '2010',
    contact: '20180713',
    status: '1',
    tumors: ['20171114 0', '20170111 60'],
    answers: ['9999 9 9999 9 2 -', '9999 9 9999 9 1 -'],
  },
  {
    what: 'a year between two dates',
    end: '2016',
    contact: '20150427',
    status: '0',
    birth: '193701',
    tumors: ['20150305 1', '2015 2', '20150223 60'],
    patient: '0 20150427 20150427',
    answers: ['0001 1 0001 1 2 20150305', '0000 2 0000 2 3 20150331', '0002 1 0002 1 1 20150223'],
  },
]

describe('survival time', () => {
  test.each(PATIENTS)('$what', ({ end, contact, birth, status, tumors, patient, answers }) => {
    const given = {
      end_year: end,
      date_of_last_contact: contact,
      vital_status: status,
      ...(birth && { date_of_birth: birth }),
      tumors: tumors.map((text) => {
        const [date_of_diagnosis, sequence = '', reporting_source, last, vital] = text.split(' ')
        return {
          date_of_diagnosis,
          sequence: two(sequence),
          reporting_source,
          date_of_last_contact: last,
          vital_status: vital,
        }
      }),
    }
    const told = recodes.recodePatient(given, { recode: 'survival-time' })
    const written = told.tumors.map((one) => [
      ...[one.months, one.flag, one.months_presumed_alive, one.flag_presumed_alive],
      ...[one.record_number, one.date_of_diagnosis_recode ?? '-'],
    ])
    expect(written.map((cells) => cells.join(' '))).toEqual(answers)
    const { vital_status_recode, date_of_last_contact_recode, date_presumed_alive } = told
    const ofPatient = [vital_status_recode, date_of_last_contact_recode, date_presumed_alive]
    if (patient) expect(ofPatient.map((cell) => cell ?? '-').join(' ')).toBe(patient)
  })

  test('the vital status is that at the end of the study', () => {
    const given = {
      end_year: '2008',
      date_of_last_contact: '2010',
      vital_status: '0',
      tumors: [{}],
    }
    const told = recodes.recodePatient(given, { recode: 'survival-time' })
    expect(told.vital_status_recode).toBe('1')
  })

  test.each([
    [
      [
        ...['99990101 0', '20130102 1', '20130102 2', '20100301 61', '2010 99', '99990101 3'],
        ...['20091111 4', '99991111 5', '99991212 6', '20080301 7', '20100101 9', '20110102 8'],
      ],
      '1 8 9 6 5 10 3 11 12 2 4 7',
    ],
    [['19870114 1', '19890227 2', '19901022 3', '9999 61', '19890227 62'], '1 2 5 3 4'],
    [['19871014 1', '1987 61', '19870527 62'], '3 1 2'],
    [['19871014 1', '1987 2', '19870527 3'], '2 3 1'],
    [['19871014 1', '19870527 61', '1987 62'], '2 1 3'],
    [
      ['19900117 1', '19900102 2', '199001 61', '19900115 62', '199001 63', '19900110 64'],
      '4 1 5 3 6 2',
    ],
    [['19900117 1', '19900102 2', '199001 61', '19900115 62', '199001 63'], '4 1 2 3 5'],
  ])('the order of %j', (tumors, wanted) => {
    const given = {
      end_year: '2010',
      date_of_last_contact: '20121231',
      vital_status: '0',
      tumors: tumors.map((text) => {
        const [date_of_diagnosis, sequence = ''] = text.split(' ')
        return { date_of_diagnosis, sequence: two(sequence) }
      }),
    }
    const told = recodes.recodePatient(given, { recode: 'survival-time' })
    expect(told.tumors.map((one) => one.record_number).join(' ')).toBe(wanted)
  })
})
