import { expect, test } from 'vitest'
import { describeArea, type Step } from './support/area-tests.ts'
import { BREAST, LUNG } from './support/made-tumours.ts'

// Every operation of the comparison with every status that it declares.

const MPH = '/rest/mph'
const PAIR = { input1: BREAST, input2: LUNG }

const area = await describeArea({
  area: 'mph',
  names: { id: 'str_2018_and_later_breast' },
  unknown: { id: 'nowhere' },
  bodyOf: (name) => (name.endsWith('/patient') ? { tumours: [BREAST] } : PAIR),
  rolesFor: () => [],
  reads: /^POST /,
})

const STEPS: readonly Step[] = [
  [`POST ${MPH}`, 200, {}, PAIR],
  [`POST ${MPH}`, 200, {}, { input1: {}, input2: {} }],
  [`POST ${MPH}`, 200, {}, { input1: BREAST, input2: { ...LUNG, laterality: null, odd: [1] } }],
  [`POST ${MPH}`, 400, {}, {}],
  [`POST ${MPH}`, 400, {}, { input1: BREAST }],
  [`POST ${MPH}`, 400, {}, { input1: null, input2: BREAST }],
  [`POST ${MPH}`, 400, {}, { input1: BREAST, input2: [LUNG] }],
  [`POST ${MPH}`, 400, {}, { input1: BREAST, input2: { ...LUNG, primary_site: 341 } }],
  [`POST ${MPH}`, 400, {}, [PAIR]],
  [`GET ${MPH}/groups`, 200],
  [`GET ${MPH}/group/{id}`, 200],
  [`GET ${MPH}/group/{id}`, 404, { id: '__proto__' }],
  [`POST ${MPH}/patient`, 200, {}, { tumours: [BREAST, LUNG, {}] }],
  [`POST ${MPH}/patient`, 200, {}, { tumours: [] }],
  [`POST ${MPH}/patient`, 400, {}, {}],
  [`POST ${MPH}/patient`, 400, {}, { tumours: BREAST }],
  [`POST ${MPH}/patient`, 400, {}, { tumours: [BREAST, null] }],
  [`POST ${MPH}/patient`, 400, {}, { tumours: [{ ...BREAST, laterality: 1 }] }],
  [`POST ${MPH}/patient`, 200, {}, { tumours: Array.from({ length: 100 }, () => BREAST) }],
  [`POST ${MPH}/patient`, 400, {}, { tumours: Array.from({ length: 101 }, () => BREAST) }],
]

area.testSteps('each of them', STEPS)
area.testRefusals()
area.testRoles()

test('a refusal names the member and holds nothing else of the tumours', async () => {
  const input2 = { ...LUNG, primary_site: 341 }
  const message = await area.take([`POST ${MPH}`, 400, {}, { input1: BREAST, input2 }])
  expect(message).toContain('input2.primary_site')
  expect(message).not.toMatch(/C504|8500|8070|2020|341/)
})

// Histologies are left out of the pattern, because times and request ids may contain the same numbers.
area.testSeen({ unsaid: /C504|C341|"8500|nowhere|BAD KEY/, said: `${MPH}/patient` })
