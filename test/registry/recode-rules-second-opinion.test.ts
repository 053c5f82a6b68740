import { describe, expect, test } from 'vitest'
import { findRecode, findVersion } from '../../engine/registry/recodes/answer.ts'
import { RECODES } from '../../engine/registry/recodes/recodes.ts'
import { type Random, randomFrom } from '../../fixtures/random.ts'
import { available } from '../available.ts'
import { depth } from '../depth.ts'
import {
  type NaiveRule,
  naiveBehavior,
  naiveBreast,
  naiveCauses,
  naiveDays,
  naiveGrade,
  naiveIcd,
  naiveO2,
  naiveSize,
} from './support/naive-rules.ts'

// Every recode with rules agrees with an independent implementation; recode-second-opinion.test.ts tests recodes
// with tables, recode-patients-second-opinion.test.ts those of patients.

const CASES = depth(1000, 5000, 1_000_000)
const ODD = ['', ' ', 'C', 'X', '9', '8000', 'c500', 'é', '99999', '__proto__']

const pick = <T>(random: Random, from: readonly T[]) => from[random.below(from.length)] as T
const digits = (random: Random, low: number, count: number, length: number) =>
  String(low + random.below(count)).padStart(length, '0')

/** Values of an input, most of which the rules distinguish. */
const DRAWN: Readonly<Record<string, (random: Random) => string>> = {
  site: (random) => {
    const near = ['C181', 'C340', 'C349', 'C419', 'C500', 'C649', 'C670', 'C700', 'C710', 'C753']
    return random.chance(0.5) ? pick(random, near) : `C${digits(random, 0, 815, 3)}`
  },
  hist: (random) => {
    const near = ['8240', '8245', '8249', '8720', '8935', '9133', '9140', '9160', '9590', '9950']
    return random.chance(0.4) ? pick(random, near) : digits(random, 7990, 2020, 4)
  },
  behavior: (random) => pick(random, ['0', '1', '2', '3', '3', '6', '9']),
  year: (random) => digits(random, 1980, 46, 4),
  schema_id: (random) => pick(random, ['00480', '00480', '00790', '00830', '00010', '00200']),
  grade_clinical: (random) => pick(random, [...'S54321EDCBAHML98 X']),
  grade_pathological: (random) => pick(random, [...'S54321EDCBAHML98 X']),
  date_of_diagnosis: (random) => date(random),
  date_of_treatment: (random) => date(random),
  sequence: (random) => pick(random, ['00', '00', '0', '01', '1', '02', '59', '60', '99']),
  icd_revision: (random) => pick(random, ['0', '1', '1', '1', '8', '9', '7']),
  cause_of_death: (random) => {
    const letter = pick(random, ['', 'B', 'C', 'C', 'D', 'K', 'N', 'c'])
    const two = letter === '' ? digits(random, 0, 1000, 3) : letter + digits(random, 0, 100, 2)
    return two + pick(random, ['', '0', '5', '8', '9', ' '])
  },
  year_last_contact: (random) => pick(random, ['2018', '2020', '2021', '9999', '']),
  cut_off_year: (random) => pick(random, ['2020', '2022', '']),
  eod_tumor_size: (random) => size(random),
  cs_tumor_size: (random) => size(random),
  tumor_size_summary: (random) => size(random),
  sex: (random) => pick(random, ['1', '2', '9']),
}

const date = (random: Random) =>
  digits(random, 2018, 4, 4) + digits(random, 0, 14, 2) + digits(random, 0, 33, 2)
const size = (random: Random) =>
  random.chance(0.5) ? digits(random, 985, 15, 3) : digits(random, 0, 1000, 3)

const factor = (random: Random) => pick(random, ['010', '010', '020', '020', '988', '999', ''])
const summary = (random: Random) => pick(random, ['0', '0', '1', '1', '7', '9', ''])
const BREAST: typeof DRAWN = {
  site: (random) => pick(random, ['C500', 'C501', 'C506', 'C507', 'C508', 'C509', 'C490', 'C5000']),
  hist: (random) =>
    pick(random, ['7999', '8000', '8500', '8700', '8701', '8719', '8720', '8790', '8982', '8984']),
  ...Object.fromEntries([1, 2, 9, 11, 13, 14, 15].map((i) => [`cs_factor_${i}`, factor])),
  er_summary: summary,
  pr_summary: summary,
  her2_summary: summary,
}

interface Opinion {
  readonly name: string
  readonly make: () => NaiveRule
  /** Values drawn by name instead of the usual ones. */
  readonly drawn?: () => typeof DRAWN
}

const icd = (id: string): Opinion => ({
  name: `${id} 1`,
  make: () => naiveIcd(`${id}-to-icd-o-3`),
  drawn: () => {
    const { codes } = naiveIcd(`${id}-to-icd-o-3`)
    const code = (random: Random) => {
      const one = pick(random, codes)
      const cut = one.slice(0, random.chance(0.2) ? 3 : one.length)
      const written = random.chance(0.5) ? cut.replace(/^(...)(.)/, '$1.$2') : cut
      return random.chance(0.1) ? written.toLowerCase() : written
    }
    return { code }
  },
})

const OPINIONS: readonly Opinion[] = [
  { name: 'behavior 2010', make: () => naiveBehavior },
  { name: 'summary-grade 2018', make: () => naiveGrade },
  { name: 'days-to-treatment 1', make: () => naiveDays },
  { name: 'cause-of-death 2008', make: () => naiveCauses('2008') },
  { name: 'cause-of-death 2023', make: () => naiveCauses('2023') },
  { name: 'tumor-size 2024', make: naiveSize },
  {
    name: 'breast-subtype 2025',
    make: () => naiveBreast,
    drawn: () => ({ ...BREAST, year: (random) => digits(random, 2008, 13, 4) }),
  },
  icd('icd-10-cm'),
  icd('icd-10'),
  icd('icd-9-cm'),
  { name: 'icd-o-2 1', make: naiveO2 },
]

test('every recode that is no table has a second opinion', () => {
  const ofTables = ['seer', 'iccc', 'aya', 'brain-cns', 'lymphoid']
  const names = RECODES.filter(({ id }) => !ofTables.includes(id)).flatMap(({ id, versions }) =>
    versions.map((one) => `${id} ${one.id}`),
  )
  expect(OPINIONS.map(({ name }) => name)).toEqual(names)
})

describe.skipIf(!available.shared)('a second opinion', () => {
  test.each(OPINIONS)(`agrees on ${CASES} random cases of $name`, ({ name, make, drawn }) => {
    const [id = '', version] = name.split(' ')
    const found = findRecode(RECODES, id)
    const recode = findVersion(found, version).make()
    const naive = make()
    const draws = { ...DRAWN, ...drawn?.() }
    const random = randomFrom(2009, name.length)
    const seen = new Set<string>()
    for (let i = 0; i < CASES; i++) {
      const names = Object.keys(found.inputs).filter(() => random.below(25) > 0)
      const given = names.map((one) => [
        one,
        random.below(40) === 0 ? pick(random, ODD) : draws[one]?.(random),
      ])
      const input = Object.fromEntries(given) as Record<string, string>
      const told = JSON.stringify(sorted(recode(input)))
      const wanted = JSON.stringify(sorted(naive(input)))
      seen.add(wanted)
      if (told !== wanted) expect({ input, told }).toEqual({ input, told: wanted })
    }
    // Both return more than one value.
    expect(seen.size).toBeGreaterThan(3)
  })
})

const sorted = (answer: Readonly<Record<string, string | undefined>>) =>
  Object.entries(answer)
    .filter(([, value]) => value !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
