import { describe, expect, test } from 'vitest'
import { Recodes } from '../../engine/registry/index.ts'
import { PATIENT_RECODES } from '../../engine/registry/recodes/patient-recodes.ts'
import { type Random, randomFrom } from '../../fixtures/random.ts'
import { depth } from '../depth.ts'
import { type NaivePatient, naiveIarc, naiveRace, naiveSurvival } from './support/naive-patients.ts'

// Recodes of patients agree with an independent implementation of their rules.

const CASES = depth(2000, 10_000, 1_000_000)
const TODAY = '20220615'

const recodes = new Recodes({ clock: () => new Date('2022-06-15T12:00:00Z') })

const OPINIONS: Readonly<Record<string, (patient: NaivePatient) => NaivePatient>> = {
  iarc: naiveIarc,
  'survival-time': (patient) => naiveSurvival(patient, TODAY),
  race: naiveRace,
}

const pick = <T>(random: Random, from: readonly T[]) => from[random.below(from.length)] as T
const two = (number: number) => String(number).padStart(2, '0')

/** A date from a few years, so that dates are close to each other, often with unknown parts. */
function date(random: Random): string {
  const kind = random.below(20)
  if (kind === 0)
    return pick(random, ['', '9999', '99999999', '20201', 'abcd', '20190229', '18991231'])
  const year = String(2017 + random.below(7))
  if (kind < 3) return year + pick(random, ['', '99', '9999', '0000', '1399'])
  const month = two(1 + random.below(kind < 12 ? 12 : 3))
  if (kind < 7) return year + month + pick(random, ['', '99', '00', '31'])
  return year + month + two(1 + random.below(kind < 12 ? 28 : 31))
}

const DRAWN: Readonly<Record<string, (random: Random) => string>> = {
  site: (random) =>
    pick(random, [
      'C000',
      'C019',
      'C029',
      'C069',
      'C199',
      'C209',
      'C679',
      'c680',
      'C509',
      'C77',
      'X',
    ]),
  hist: (random) =>
    random.chance(0.1)
      ? pick(random, ['', '800', 'X', '9999', '7999'])
      : String(
          pick(random, [8000, 8010, 8070, 8140, 8500, 9140, 9590, 9670, 9700, 9800, 9860]) +
            random.below(4),
        ),
  behavior: (random) => pick(random, ['3', '3', '3', '3', '2', '1', '']),
  sequence: (random) =>
    pick(random, ['00', '01', '02', '03', '4', '59', '60', '61', '62', '97', '98', '99', 'X']),
  reporting_source: (random) => pick(random, ['1', '1', '1', '3', '6', '7']),
  date_of_diagnosis: date,
  date_of_birth: date,
  date_of_last_contact: date,
  vital_status: (random) => pick(random, ['0', '1', '1', '01', '4', '']),
  race1: (random) => pick(random, ['01', '01', '1', '02', '88', '98', '98', '99', 'X', '']),
  race2: (random) => pick(random, ['01', '02', '03', '88', '97', '98', '99', '00', '']),
  ihs_link: (random) => pick(random, ['0', '0', '1', '9', '', ' ']),
  state: (random) => pick(random, ['MD', 'MD', 'MD', 'WA', 'AK', 'ak', '']),
  end_year: (random) => pick(random, ['2018', '2020', '2021', '2021', '2023', 'X']),
}

/** Members in which a tumour seldom differs from the patient. */
const SELDOM = ['date_of_last_contact', 'vital_status']

function draw(random: Random, names: Readonly<Record<string, string>>, isOfTumor: boolean) {
  const given = Object.keys(names).filter((name) => {
    if (name === 'end_year') return true
    return isOfTumor && SELDOM.includes(name) ? random.below(60) === 0 : random.below(12) > 0
  })
  return Object.fromEntries(given.map((name) => [name, DRAWN[name]?.(random)]))
}

test('every recode of patients has a second opinion', () => {
  expect(Object.keys(OPINIONS)).toEqual(PATIENT_RECODES.map(({ id }) => id))
})

describe('a second opinion', () => {
  test.each(PATIENT_RECODES)(`agrees on ${CASES} random patients of $id`, ({ id, ...recode }) => {
    const opinion = OPINIONS[id]
    const random = randomFrom(2013, id.length)
    const seen = new Set<string>()
    for (let i = 0; i < CASES; i++) {
      const count = 1 + random.below(random.chance(0.1) ? 9 : 4)
      const tumors = Array.from({ length: count }, () => draw(random, recode.tumorInputs, true))
      const patient = { ...draw(random, recode.inputs, false), tumors } as NaivePatient
      const told = JSON.parse(JSON.stringify(recodes.recodePatient(patient, { recode: id })))
      const wanted = JSON.parse(JSON.stringify(opinion?.(patient)))
      for (const one of wanted.tumors)
        seen.add(`${one.primary} ${one.flag} ${one.flag_presumed_alive} ${wanted.race_recode}`)
      const isSame = sorted(told) === sorted(wanted)
      if (!isSame) expect({ patient, told }).toEqual({ patient, told: wanted })
    }
    // The answers include every primary, most pairs of flags, and most races.
    expect(seen.size).toBeGreaterThan(LEAST_SEEN[id] ?? 12)
  })
})

const LEAST_SEEN: Readonly<Record<string, number>> = { iarc: 2, race: 6 }

const sorted = (value: unknown) =>
  JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  )
