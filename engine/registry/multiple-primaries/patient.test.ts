import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { depth } from '../../../test/depth.ts'
import { comparePair } from './compare-pair.ts'
import { comparePatient, type PatientResult, patientSteps } from './patient.ts'
import { Rules } from './rules.ts'
import { shippedHematopoietic } from './shipped-hematopoietic.ts'
import type { Tumour } from './tumour.ts'

const rules = new Rules({ hematopoietic: shippedHematopoietic(), yearNow: () => 2026 })
const patient = (tumours: readonly unknown[]) => comparePatient(rules, { tumours }, 2026)

/** Tumours that may be related, because there are few sites and histologies. */
const tumour: fc.Arbitrary<Tumour> = fc.record(
  {
    primary_site: fc.constantFrom('C504', 'C501', 'C341', 'C349', 'C421', 'C809'),
    histology_icd_o3: fc.constantFrom('8500', '8520', '8070', '9732', '9823'),
    behavior_icd_o3: fc.constantFrom('3', '3', '3', '2'),
    laterality: fc.constantFrom('1', '2', '9'),
    date_of_diagnosis_year: fc.constantFrom('2018', '2019', '2022', '2025', '2030'),
    date_of_diagnosis_month: fc.constantFrom('01', '02', '11', ''),
    date_of_diagnosis_day: fc.constantFrom('01', '28', '99'),
  },
  { requiredKeys: ['primary_site', 'histology_icd_o3'] },
)

/** Returns the tumours in the order of the answer, and each pair of their positions. */
function ordered(tumours: readonly Tumour[], { tumours: answered }: PatientResult) {
  const list = answered.map(({ input }) => tumours[input] as Tumour)
  const pairs = list.flatMap((input2, second) =>
    list.slice(0, second).map((input1, first) => ({ first, second, pair: { input1, input2 } })),
  )
  return { list, pairs }
}

describe('laws', () => {
  const holds = (law: (tumours: readonly Tumour[], answer: PatientResult) => void) =>
    fc.assert(
      fc.property(fc.array(tumour, { maxLength: 12 }), (tumours) => law(tumours, patient(tumours))),
      { seed: 38, numRuns: depth(60, 300) },
    )

  test('the matrix has what each two come to by themselves, the earlier as the first', () => {
    holds((tumours, answer) => {
      const { list, pairs } = ordered(tumours, answer)
      for (const { first, second, pair } of pairs) {
        const { result } = comparePair(rules, pair)
        expect(answer.matrix[first]?.[second]).toBe(result)
        expect(answer.matrix[second]?.[first]).toBe(result)
      }
      for (const [place, input1] of list.entries()) {
        const isValid = comparePair(rules, { input1, input2: input1 }).result !== 'INVALID_INPUT'
        expect(answer.matrix[place]?.[place]).toBe(isValid ? 'SINGLE_PRIMARY' : 'INVALID_INPUT')
        expect(answer.tumours[place]?.invalid === undefined).toBe(isValid)
      }
    })
  })

  test('groups are what can be reached through single primaries, and nothing else', () => {
    holds((tumours, { matrix, groups, tumours: answered }) => {
      // Warshall's closure, independent of the code under test.
      const reached = matrix.map((row, i) =>
        row.map((one, j) => i === j || one === 'SINGLE_PRIMARY'),
      )
      for (const k of reached.keys())
        for (const i of reached.keys())
          for (const j of reached.keys())
            if (reached[i]?.[k] && reached[k]?.[j]) reached[i][j] = true
      for (const i of reached.keys())
        for (const j of reached.keys())
          expect(answered[i]?.group === answered[j]?.group).toBe(reached[i]?.[j])
      const places = groups.flat()
      expect(places.toSorted((a, b) => a - b)).toEqual([...tumours.keys()])
      for (const [i, group] of groups.entries())
        for (const place of group) expect(answered[place]?.group).toBe(i)
      expect(groups.map(([first]) => first)).toEqual(
        groups.map(([first]) => first).toSorted((a, b) => Number(a) - Number(b)),
      )
    })
  })

  test('conflicts are the several primaries of one group, and every open question is reported', () => {
    holds((tumours, answer) => {
      const { tumours: answered, conflicts, questionable } = answer
      const wanted = ordered(tumours, answer).pairs.map(({ first, second, pair }) => {
        const { applied_rules: _, ...result } = comparePair(rules, pair)
        return { tumours: [first, second] as const, ...result }
      })
      const isWithin = ([one, other]: readonly [number, number]) =>
        answered[one]?.group === answered[other]?.group
      expect(conflicts).toEqual(
        wanted.filter((one) => one.result === 'MULTIPLE_PRIMARIES' && isWithin(one.tumours)),
      )
      expect(questionable).toEqual(wanted.filter(({ result }) => result === 'QUESTIONABLE'))
    })
  })

  test('where no two dates are equal, the order of the request changes nothing', () => {
    const dated = fc
      .tuple(fc.array(tumour, { maxLength: 8 }), fc.infiniteStream(fc.nat()))
      .map(([tumours, numbers]) => ({
        tumours: tumours.map((one, i) => ({ ...one, date_of_diagnosis_year: String(2018 + i) })),
        keys: tumours.map(() => numbers.next().value ?? 0),
      }))
    const property = fc.property(dated, ({ tumours, keys }) => {
      const shuffled = [...tumours.keys()].sort((a, b) => (keys[a] ?? 0) - (keys[b] ?? 0))
      const { tumours: answered, ...rest } = patient(shuffled.map((i) => tumours[i]))
      const { tumours: wanted, ...others } = patient(tumours)
      expect(rest).toEqual(others)
      expect(answered.map(({ input }) => shuffled[input])).toEqual(wanted.map(({ input }) => input))
    })
    fc.assert(property, { seed: 39, numRuns: depth(40, 200) })
  })
})

test('no tumours are no groups, and one is one', () => {
  expect(patient([])).toEqual({
    tumours: [],
    matrix: [],
    groups: [],
    conflicts: [],
    questionable: [],
  })
  expect(patient([{}])).toMatchObject({ matrix: [['INVALID_INPUT']], groups: [[0]] })
})

test('a hundred tumours are compared a pair at a time, between which others have their turn', () => {
  const steps = patientSteps(rules, { tumours: Array.from({ length: 100 }, () => ({})) }, 2026)
  expect([...steps]).toHaveLength(4950)
})

test.each([
  [undefined, ''],
  [{}, 'tumours'],
  [{ tumours: {} }, 'tumours'],
  [{ tumours: [{}, null] }, 'tumours[1]'],
  [{ tumours: [{ laterality: 1 }] }, 'tumours[0].laterality'],
  [{ tumours: Array.from({ length: 101 }, () => ({})) }, 'tumours'],
])('%j is refused at "%s"', (body, at) => {
  const compare = () => comparePatient(rules, body, 2026)
  expect(compare).toThrow(expect.objectContaining({ code: 'bad_input', at }))
})
