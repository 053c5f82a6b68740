import { describe, expect, test } from 'vitest'
import { comparePair } from './compare-pair.ts'
import { Rules } from './rules.ts'
import { shippedHematopoietic } from './shipped-hematopoietic.ts'
import { tumour } from './support/tumour-text.ts'

const rules = new Rules({ hematopoietic: shippedHematopoietic(), yearNow: () => 2026 })

const compare = (one: string, other: string) =>
  comparePair(rules, { input1: tumour(one), input2: tumour(other) })

describe('a pair that no rule is asked about', () => {
  test('is invalid by its first tumor before its second, with what the tumor lacks', () => {
    const found = comparePair(rules, { input1: {}, input2: tumour('C509 8500/3 L1 2027') })
    expect(found.result).toBe('INVALID_INPUT')
    expect(found.reason).toContain(
      'tumor 1: Unknown Site, Unknown Histology/Unknown Behavior with unknown year of diagnosis.',
    )
    expect(Object.keys(found)).toEqual(['result', 'reason', 'applied_rules'])
    expect(found.applied_rules).toEqual([])
  })

  test('reports what of the second tumor was not valid', () => {
    const { result, reason } = compare('C509 8500/3 L1 2018', 'C509 8500/3 L1 2027')
    expect(result).toBe('INVALID_INPUT')
    expect(reason).toContain('tumor 2: C509, 8500/3 with year of diagnosis 2027.')
    expect(reason).toContain('until 2026')
  })

  test('has no long text repeated', () => {
    const { reason } = compare('C509 8500/3 L1 2018', `C${'5'.repeat(5000)} 8500/3 L1 2018`)
    expect(reason).toContain('C55555555555..., 8500/3')
    expect(reason.length).toBeLessThan(400)
  })

  test('names the codes of the second edition where these count', () => {
    const old = { ...tumour('C50 8500/3 L1 1999'), histology_icd_o2: '8521' }
    const { reason } = comparePair(rules, { input1: old, input2: old })
    expect(reason).toContain('C50, 8521/3 with year of diagnosis 1999')
  })

  test('is questionable where a tumor has no group, with its own year', () => {
    const breast = 'C509 8500/3 L1 2018-05-07'
    const found = compare('C509 8500/0 L1 2012', breast)
    expect(found).toMatchObject({ result: 'QUESTIONABLE', applied_rules: [] })
    expect(found.reason).toContain('tumor 1: C509, 8500/0 with year of diagnosis 2012')
    expect(compare(breast, 'C509 8500/0 L1 2012').reason).toContain('tumor 2')
  })

  test('without a group is a single primary where both tumors agree in all and all is known', () => {
    const same = (one: string) => compare(one, one).result
    expect(same('C509 8500/0 L9 2018-05-07')).toBe('SINGLE_PRIMARY')
    expect(same('C509 8500/0 L6 2018-05-07')).toBe('QUESTIONABLE')
    expect(same('C509 8500/0 L 2018-05-07')).toBe('QUESTIONABLE')
    expect(same('C509 8500/0 L9 2018-05')).toBe('QUESTIONABLE')
    expect(same('C509 8500/0 L9 2018-02-30')).toBe('QUESTIONABLE')
    for (const other of ['C508 8500/0 L1', 'C509 8501/0 L1', 'C509 8500/1 L1', 'C509 8500/0 L2']) {
      const found = compare('C509 8500/0 L1 2018-05-07', `${other} 2018-05-07`)
      expect(found.result).toBe('QUESTIONABLE')
    }
  })

  test('of different groups is two primaries', () => {
    const found = compare('C509 8500/3 L1 2018', 'C341 8070/3 L1 2018')
    expect(found).toMatchObject({ result: 'MULTIPLE_PRIMARIES', applied_rules: [] })
    expect(found.reason).toContain('Solid Tumor 2018+ Breast and Solid Tumor 2018+ Lung')
    expect(found).not.toHaveProperty('step')
  })
})

describe('a pair that a registrar has to judge', () => {
  const reasonOf = (one: string, other: string) => compare(one, other).reason

  test('reports the codes that a table does not have', () => {
    const unlisted = (one: string, other: string) =>
      reasonOf(`C180 ${one} L0 2019`, `C180 ${other} L0 2019`)
    expect(unlisted('8010/3', '8140/3')).toMatch(/^8010\/3 is not in the table/)
    expect(unlisted('8140/3', '8001/3')).toMatch(/^8001\/3 is not in the table/)
    expect(unlisted('8010/3', '8010/3')).toMatch(/^8010\/3 is not in the table/)
    expect(unlisted('8010/3', '8001/2')).toMatch(/^Both 8010\/3 and 8001\/2 are not in the table/)
    expect(unlisted('08010/3', '8140/3')).toMatch(/^8010\/3 is not in the table/)
  })

  test('reports what is missing, by rule and group', () => {
    const breast = 'C509 8500/3'
    expect(reasonOf(`${breast} L1 2014`, `${breast} L1 2019`)).toBe(
      'Rule M5 of Solid Tumor 2018+ Breast cannot be decided: the dates of diagnosis are needed more exactly.',
    )
    expect(reasonOf(`${breast} L9 2019`, `${breast} L1 2019`)).toContain('the laterality of both')
    const colon = [`C189 8140/3 L0 2019`, 'C180 8140/3 L0 2019'] as const
    expect(reasonOf(...colon)).toContain('Rule M9 of Solid Tumor 2018+ Colon')
    expect(reasonOf(...colon)).toContain('the exact site')
  })
})

describe('the group', () => {
  test.each([
    ['C740 8500/3 L1 2018', 'C740 8500/3 L1 2006', 'mph_2007_to_2022_other_sites'],
    ['C507 8500/3 L1 2018', 'C507 8500/3 L1 2018', 'mph_2007_to_2022_other_sites'],
    ['C507 8500/3 L1 2023', 'C507 8500/3 L1 2018', 'str_2023_and_later_other_sites'],
    ['C344 8500/3 L1 2022', 'C344 8500/3 L1 2018', 'mph_2007_to_2022_other_sites'],
    ['C509 9140/3 L1 2022', 'C001 9140/3 L1 2018', 'mph_2007_to_2022_other_sites'],
    ['C479 8000/3 L1 2020', 'C479 8000/3 L1 2018', 'str_2018_and_later_head_and_neck'],
    ['C754 8690/3 L1 2019', 'C754 8690/3 L1 2018', 'str_2018_and_later_head_and_neck'],
    ['C754 8690/3 L1 2018', 'C754 8690/3 L1 2018', 'mph_2007_to_2022_other_sites'],
    ['C755 8681/3 L1 2020', 'C755 8681/3 L1 2018', 'mph_2007_to_2022_other_sites'],
    ['C443 8720/3 L1 2020', 'C443 8720/3 L1 2018', 'mph_2007_to_2017_melanoma'],
    ['C443 8720/3 L1 2021', 'C443 8720/3 L1 2018', 'str_2021_and_later_cutaneous_melanoma'],
    ['C421 9732/3 L0 2000', 'C421 9732/3 L0 1990', 'hemato_2000_and_earlier'],
  ])('of %s and %s is %s', (one, other, group) => {
    expect(compare(one, other).group_id).toBe(group)
  })
})
