import { describe, expect, test } from 'vitest'
import { type Answer, unclear } from './answer.ts'
import { diagnosisOf } from './diagnosis.ts'
import { GROUPS } from './groups.ts'
import { compileHematopoietic } from './hematopoietic-tables.ts'
import { Module } from './module.ts'
import { MULTIPLE, type Outcome, type Rule, SINGLE } from './rule.ts'

// How answers of rules become a result (multiple-primaries.md 4), tested with rules that always give the same answer.

const NO_TABLES = compileHematopoietic({
  rangePairs1998: [],
  groups2001: [],
  groupPairs2001: [],
  samePrimary2010: [],
  transformFrom2010: [],
  transformTo2010: [],
})

const tumour = diagnosisOf({}, 2026)

type Short = readonly [means: Outcome, answer: Answer, otherwise?: Outcome]

function decided(...shorts: readonly Short[]) {
  const rules = shorts.map(
    ([means, answer, otherwise], i): Rule => ({
      step: `M${i + 1}`,
      asks: `question ${i + 1}?`,
      means,
      because: `reason ${i + 1}.`,
      when: () => answer,
      ...(otherwise ? { otherwise: { means: otherwise, because: 'otherwise.' } } : {}),
    }),
  )
  const [group] = GROUPS
  if (!group) throw new Error('there are no groups')
  const module = new Module({ ...group, rules: () => rules }, NO_TABLES)
  const { result, step, reason, applied_rules } = module.decide(tumour, tumour)
  return { result, step, reason, applied: applied_rules.length }
}

const ask = unclear('a person must judge.')

describe('the rules of a group', () => {
  test('end with the first that holds', () => {
    expect(decided([MULTIPLE, false], [SINGLE, true], [MULTIPLE, true])).toEqual({
      result: 'SINGLE_PRIMARY',
      step: 'M2',
      reason: 'reason 2.',
      applied: 2,
    })
  })

  test('end with what the last one says where it does not hold', () => {
    expect(decided([MULTIPLE, false], [SINGLE, false, MULTIPLE])).toEqual({
      result: 'MULTIPLE_PRIMARIES',
      step: 'M2',
      reason: 'otherwise.',
      applied: 2,
    })
  })

  test('end with one that a person must judge', () => {
    expect(decided([MULTIPLE, false], [MULTIPLE, ask], [SINGLE, true])).toEqual({
      result: 'QUESTIONABLE',
      step: 'M2',
      reason: 'a person must judge.',
      applied: 2,
    })
  })
})

describe('a rule that lacks something', () => {
  test('is settled by a later rule of the same outcome, which is named', () => {
    expect(decided([MULTIPLE, 'date'], [SINGLE, false], [MULTIPLE, true])).toEqual({
      result: 'MULTIPLE_PRIMARIES',
      step: 'M3',
      reason: 'reason 3.',
      applied: 3,
    })
  })

  test.each([
    ['another outcome', [SINGLE, true]],
    ['another outcome that lacks something too', [SINGLE, 'laterality']],
    ['one that a person must judge', [MULTIPLE, ask]],
    ['another outcome where the last does not hold', [MULTIPLE, false, SINGLE]],
  ] as const)('makes the pair questionable with %s', (_, later) => {
    const found = decided([MULTIPLE, false], [MULTIPLE, 'date'], [SINGLE, false], later)
    expect(found).toMatchObject({ result: 'QUESTIONABLE', step: 'M2', applied: 2 })
    expect(found.reason).toContain('Rule M2 of Hematopoietic')
    expect(found.reason).toContain('dates of diagnosis')
  })

  test('is not questioned by a later one that lacks something for the same outcome', () => {
    expect(decided([SINGLE, 'date'], [SINGLE, 'laterality'], [SINGLE, true])).toMatchObject({
      result: 'SINGLE_PRIMARY',
      step: 'M3',
      applied: 3,
    })
  })
})

test('an outcome may depend on the pair', () => {
  const [group] = GROUPS
  if (!group) throw new Error('there are no groups')
  const rule: Rule = {
    step: 'M1',
    asks: 'which?',
    because: 'so.',
    means: (one) => (one.site === 509 ? SINGLE : MULTIPLE),
    when: () => true,
  }
  const module = new Module({ ...group, rules: () => [rule] }, NO_TABLES)
  const breast = diagnosisOf({ primary_site: 'C509' }, 2026)
  expect(module.decide(breast, tumour).result).toBe('SINGLE_PRIMARY')
  expect(module.decide(tumour, breast).result).toBe('MULTIPLE_PRIMARIES')
})
