import { describe, expect, test } from 'vitest'
import { comparePair } from './compare-pair.ts'
import { GROUPS } from './groups.ts'
import { compileHematopoietic } from './hematopoietic-tables.ts'
import { Rules } from './rules.ts'
import { shippedHematopoietic } from './shipped-hematopoietic.ts'

const hematopoietic = shippedHematopoietic()
const rules = new Rules({ hematopoietic, yearNow: () => 2026 })

describe('the groups', () => {
  test('are answered with the ranges they take and their rules', () => {
    expect(rules.group('str_2018_and_later_colon')).toMatchObject({
      name: 'Solid Tumor 2018+ Colon',
      site_inclusions: 'C180-C189, C199, C209',
      histology_exclusions: '9590-9993, 9140',
      behavior_inclusions: '2-3,6',
      year_inclusions: '2018-9999',
    })
    expect(rules.group('mph_2007_to_2022_other_sites')).not.toHaveProperty('site_inclusions')
    expect(rules.groups()).toHaveLength(25)
  })

  test('are refused by other names', () => {
    expect(() => rules.group('constructor')).toThrow(
      expect.objectContaining({
        code: 'not_found',
        message: expect.stringContaining('constructor'),
      }),
    )
  })

  test('have rules with a question and a reason for people', () => {
    const texts = rules.groups().flatMap((id) => rules.group(id).rules)
    expect(texts).toHaveLength(245)
    for (const { question, reason } of texts) {
      expect(question).toMatch(/^[A-Z].*\?$/)
      expect(reason).toMatch(/^[A-Z0-9].*\.$/)
    }
  })

  test('end with a rule that decides whatever the tumors are', () => {
    const tables = compileHematopoietic(hematopoietic)
    const last = GROUPS.map((group) => group.rules(tables).at(-1))
    expect(last.every((rule) => rule?.otherwise || /^Did none/.test(rule?.asks ?? ''))).toBe(true)
  })
})

test('the year of the clock bounds the years of diagnosis', () => {
  let year = 2026
  const ticking = new Rules({ hematopoietic, yearNow: () => year })
  const tumour = {
    primary_site: 'C509',
    histology_icd_o3: '8500',
    behavior_icd_o3: '3',
    date_of_diagnosis_year: '2027',
  }
  const pair = { input1: tumour, input2: tumour }
  expect(comparePair(ticking, pair).result).toBe('INVALID_INPUT')
  year = 2027
  expect(comparePair(ticking, pair).result).not.toBe('INVALID_INPUT')
})

test('results are frozen through and through', () => {
  const tumour = {
    primary_site: 'C509',
    histology_icd_o3: '8500',
    behavior_icd_o3: '3',
    date_of_diagnosis_year: '2020',
  }
  const result = comparePair(rules, { input1: tumour, input2: tumour })
  expect(result.applied_rules.length).toBeGreaterThan(0)
  for (const one of [result, result.applied_rules, ...result.applied_rules]) {
    expect(Object.isFrozen(one)).toBe(true)
  }
  expect(JSON.parse(JSON.stringify(result))).toEqual(result)
})

test('tables that are laid over others change what is compared', () => {
  const of = (histology_icd_o3: string) => ({
    primary_site: 'C421',
    histology_icd_o3,
    behavior_icd_o3: '3',
    date_of_diagnosis_year: '2020',
  })
  const pair = { input1: of('9590'), input2: of('9991') }
  const samePrimary2010 = [
    { morphology: '9590/3', other: '9991/3' },
    { morphology: '9991/3', other: '9590/3' },
  ]
  const newer = new Rules({
    hematopoietic: { ...hematopoietic, samePrimary2010 },
    yearNow: () => 2026,
  })
  expect(comparePair(rules, pair).result).toBe('MULTIPLE_PRIMARIES')
  expect(comparePair(newer, pair).result).toBe('SINGLE_PRIMARY')
})
