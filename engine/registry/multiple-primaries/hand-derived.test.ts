import { describe, expect, test } from 'vitest'
import { comparePair } from './compare-pair.ts'
import type { MphOutcome } from './result.ts'
import { Rules } from './rules.ts'
import { shippedHematopoietic } from './shipped-hematopoietic.ts'
import { tumour } from './support/tumour-text.ts'

// Derived by hand from multiple-primaries.md 4 and 5: codes, bounds and parts of rules that decide none of the
// recorded comparisons. They were found by changing the rules and looking for changes that the recorded
// comparisons do not detect.

const rules = new Rules({ hematopoietic: shippedHematopoietic(), yearNow: () => 2026 })

const ONE: MphOutcome = 'SINGLE_PRIMARY'
const TWO: MphOutcome = 'MULTIPLE_PRIMARIES'
const OPEN: MphOutcome = 'QUESTIONABLE'

/** Expects the result for both orders of the tumours. */
function expectOf(one: string, other: string, result: MphOutcome, step: string): void {
  const [input1, input2] = [tumour(one), tumour(other)]
  expect(comparePair(rules, { input1, input2 })).toMatchObject({ result, step })
  expect(comparePair(rules, { input1: input2, input2: input1 })).toMatchObject({ result, step })
}

describe('codes', () => {
  test.each('9430 9400 9401 9411 9385 9391 9392 9396 9393 9450 9451 9424'.split(' '))(
    'a malignant glioma and %s are one by M11',
    (code) => expectOf('C710 9380/3 L0 2019', `C710 ${code}/3 L0 2019`, ONE, 'M11'),
  )

  test.each(
    '9383/1 9394/1 9444/1 9384/1 9412/1 9413/0 9505/1 9506/1 9492/0 9493/0 9509/1 8693/1'.split(
      ' ',
    ),
  )('a borderline glioma and %s are one by M13', (code) =>
    expectOf('C710 9380/1 L0 2019', `C710 ${code} L0 2019`, ONE, 'M13'),
  )

  test.each('C724 C700 C710 C725 C711 C714 C722 C723 C713 C712'.split(' '))(
    'schwannomas and optic gliomas of both sides of %s are one by M7',
    (site) => {
      expectOf(`${site} 9560/0 L1 2019`, `${site} 9560/0 L2 2019`, ONE, 'M7')
      expectOf(`${site} 9421/1 L1 2019`, `${site} 9421/1 L2 2019`, ONE, 'M7')
    },
  )

  test('two 9509 of different behavior in the brain are open by M11', () => {
    expectOf('C710 9509/0 L0 2019', 'C711 9509/1 L0 2019', OPEN, 'M11')
  })

  test.each(['9043', '9042', '9137', '8842', '9041', '9040'])(
    'a sarcoma %s of the lung is no non-small cell carcinoma, but another subtype by M6',
    (code) => expectOf('C341 8041/3 L1 2019', `C341 ${code}/3 L1 2019`, TWO, 'M6'),
  )

  test('a sarcoma 8800 of the lung is no non-small cell carcinoma, but in another row by M8', () => {
    expectOf('C341 8041/3 L1 2019', 'C341 8800/3 L1 2019', TWO, 'M8')
  })

  test.each('8140/2 8140/3 8201/3 8260/3 8230/3 8500/3 8572/3 8574/3 8480/3 8490/3'.split(' '))(
    'a small cell carcinoma of the prostate after %s is another primary by M4',
    (code) => expectOf(`C619 ${code} L0 2023`, 'C619 8041/3 L0 2024', TWO, 'M4'),
  )

  test.each([
    ['8000/3', '8441/3'],
    ['8010/3', '8441/3'],
    ['8461/3', '8441/3'],
    ['8460/3', '8441/3'],
    ['8799/3', '8799/3'],
  ])('%s and %s of both ovaries are one by M7 until 2022', (one, other) => {
    expectOf(`C569 ${one} L1 2015-05-01`, `C569 ${other} L2 2015-05-01`, ONE, 'M7')
  })

  test('other tumors of both ovaries are two by M8', () => {
    expectOf('C569 8800/3 L1 2015-05-01', 'C569 8800/3 L2 2015-05-01', TWO, 'M8')
  })

  test.each(['C21', 'C40', 'C41', 'C47', 'C49', 'C44'])(
    'the fourth character of %s counts among other sites',
    (category) => {
      const [one, other] = [`${category}0 8140/3 L0`, `${category}8 8140/3 L0`]
      expectOf(`${one} 2015-05-01`, `${other} 2015-05-01`, TWO, 'M12')
    },
  )

  test('the fourth character of others does not', () => {
    expectOf('C150 8140/3 L0 2015-05-01', 'C158 8140/3 L0 2015-05-01', ONE, 'M18')
  })

  test('other spellings of two histologies of blood are not the same', () => {
    expectOf('C421 09590/3 L0 2015', 'C421 09591/3 L0 2015', TWO, 'M15')
  })
})

describe('the last day of a time', () => {
  // 1 January plus 60 days is 2 March, and one more is 3 March. 1 January plus 21 days is 22 January.
  test.each([
    ['blood, M4', 'C779 9590/3 L0', 'C779 9591/3 L0', 2015, 'M4', [ONE, 'M15']],
    ['kidney, M8', 'C649 8312/3 L1', 'C649 8312/3 L1', 2019, 'M8', [ONE, 'M13']],
    ['lung, M9', 'C341 8140/3 L1', 'C341 8140/3 L4', 2019, 'M9', [OPEN, 'M11']],
    ['melanoma until 2020, M8', 'C443 8720/3 L1', 'C443 8720/3 L1', 2019, 'M8', [TWO, 'M7']],
    ['melanoma, M6', 'C443 8720/3 L1', 'C443 8720/3 L1', 2021, 'M6', [TWO, 'M7']],
    ['solid until 2006, M3', 'C150 8140/3 L0', 'C150 8140/3 L0', 2005, 'M3', [TWO, 'M5']],
    ['solid until 2006, M6', 'C150 8010/3 L0', 'C150 8070/3 L0', 2005, 'M6', [TWO, 'M8']],
    ['urinary, M5', 'C670 8120/2 L0', 'C669 8120/2 L0', 2019, 'M5', [ONE, 'M11']],
    ['thyroid, M6', 'C739 8330/3 L0', 'C739 8260/3 L0', 2015, 'M6', [TWO, 'M17']],
  ] as const)('%s', (_, one, other, year, step, [result, later]) => {
    const [last, next] = year === 2015 && step === 'M4' ? ['01-22', '01-23'] : ['03-02', '03-03']
    expectOf(`${one} ${year}-01-01`, `${other} ${year}-${last}`, ONE, step)
    expectOf(`${one} ${year}-01-01`, `${other} ${year}-${next}`, result, later)
  })
})

describe('parts of rules', () => {
  test('colon: in situ long after invasive in one row is one by M12, as M11 lets it pass', () => {
    expectOf('C180 8140/3 L0 2019-01-01', 'C180 8140/2 L0 2019-06-01', ONE, 'M12')
  })

  test('ovaries of both sides at times that are not known: M9 says one, M10 two', () => {
    expectOf('C569 8441/3 L1 2024', 'C569 8441/3 L2 2024', OPEN, 'M9')
  })

  test('stomach, in situ and invasive at times that are not known: M18 says one, M20 two', () => {
    expectOf('C160 8140/2 L0 2024', 'C160 8140/3 L0 2024', OPEN, 'M18')
  })

  test('lip: of one histology only one behavior is in the table', () => {
    expectOf('C001 8085/2 L0 2019', 'C001 8085/6 L0 2019', OPEN, 'M12')
  })

  test('blood: a sarcoma that is known to be later needs no days', () => {
    expectOf('C421 9840/3 L0 2015-03', 'C001 9930/3 L0 2015-04', ONE, 'M3')
  })
})
