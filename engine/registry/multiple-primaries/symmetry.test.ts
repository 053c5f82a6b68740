import { describe, expect, test } from 'vitest'
import { depth } from '../../../test/depth.ts'
import { comparePair } from './compare-pair.ts'
import { GROUPS } from './groups.ts'
import type { MphResult } from './result.ts'
import { Rules } from './rules.ts'
import { shippedHematopoietic } from './shipped-hematopoietic.ts'
import { randomPairs } from './support/random-pairs.ts'
import type { Tumour, TumourPair } from './tumour.ts'

// The order of the two tumours makes no difference, except for two rules of one group: M4 and M6 of melanoma
// from 2021 on look only at the site of the first tumour to see whether it has sides. This matters if one site
// has sides and the other is skin of an unspecified site (C449). Any other two different sites are multiple
// primaries by an earlier rule.

const PAIRS = depth(1500, 8000)

const rules = new Rules({ hematopoietic: shippedHematopoietic(), yearNow: () => 2026 })

const swapped = ({ input1, input2 }: TumourPair): TumourPair => ({ input1: input2, input2: input1 })

function isSame(one: MphResult, other: MphResult): boolean {
  return (
    one.result === other.result &&
    one.group_id === other.group_id &&
    one.step === other.step &&
    one.applied_rules.length === other.applied_rules.length
  )
}

const hasSides = ({ primary_site }: Tumour) =>
  !['C440', 'C448', 'C449'].includes(primary_site ?? '')

function isAskedOfOneSite({ input1, input2 }: TumourPair, { group_id }: MphResult): boolean {
  return (
    group_id === 'str_2021_and_later_cutaneous_melanoma' &&
    hasSides(input1) !== hasSides(input2) &&
    [input1, input2].some(({ primary_site }) => primary_site === 'C449')
  )
}

describe('swapping two tumors', () => {
  test.each(GROUPS)('changes nothing by $id', (group) => {
    const draw = randomPairs(group, 7)
    let judged = 0
    const asymmetric: TumourPair[] = []
    for (let i = 0; i < PAIRS; i++) {
      const pair = draw()
      const result = comparePair(rules, pair)
      if (result.group_id === group.id) judged++
      const isOther = !isSame(result, comparePair(rules, swapped(pair)))
      if (isOther && !isAskedOfOneSite(pair, result)) asymmetric.push(pair)
    }
    expect(asymmetric).toEqual([])
    expect(judged).toBeGreaterThan(PAIRS / 2)
  })

  const melanoma = {
    primary_site: 'C446',
    histology_icd_o3: '8720',
    behavior_icd_o3: '3',
    laterality: '1',
    date_of_diagnosis_year: '2022',
    date_of_diagnosis_month: '03',
    date_of_diagnosis_day: '05',
  }

  test('changes M4 of melanoma from 2021 on, where one site has no sides', () => {
    const skin = { ...melanoma, primary_site: 'C449', laterality: '2' }
    const pair = { input1: melanoma, input2: skin }
    // By M3, they may be multiple primaries. Only the arm needs sides, and they differ.
    expect(comparePair(rules, pair)).toMatchObject({ result: 'MULTIPLE_PRIMARIES', step: 'M4' })
    // In the other order, M6 says that they are one, so the result is undecided.
    expect(comparePair(rules, swapped(pair))).toMatchObject({ result: 'QUESTIONABLE', step: 'M3' })
  })

  test('changes M6 of melanoma from 2021 on, where one site has no sides', () => {
    const skin = {
      ...melanoma,
      primary_site: 'C449',
      laterality: '9',
      date_of_diagnosis_year: '2023',
    }
    const pair = { input1: melanoma, input2: skin }
    // M6 lacks a side of the arm. It requires none for the skin, so M7 decides by time.
    expect(comparePair(rules, pair)).toMatchObject({ result: 'QUESTIONABLE', step: 'M3' })
    expect(comparePair(rules, swapped(pair))).toMatchObject({
      result: 'MULTIPLE_PRIMARIES',
      step: 'M7',
    })
  })
})
