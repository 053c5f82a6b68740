import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  bothOf,
  type Condition,
  chosenValues,
  conditionsOf,
  type Filter,
  filterOf,
  parseFilter,
  prefixed,
  seenByOwnField,
  toggleValue,
  withCondition,
} from './filter.ts'

const field = fc.constantFrom('primary_site', 'demographic.gender', 'diagnoses.age_at_diagnosis')
const values = fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 4 })
const end = fc.option(fc.integer({ min: 0, max: 40_000 }), { nil: undefined })
const condition: fc.Arbitrary<Condition> = fc.oneof(
  fc.record({ field, values }),
  fc
    .record({ field, from: end, to: end })
    .filter(({ from, to }) => from !== undefined || to !== undefined),
)
const year = fc.option(fc.integer({ min: 1000, max: 9998 }), { nil: undefined })
const years: fc.Arbitrary<Condition> = fc
  .record({ field: fc.constant('created_datetime'), from: year, to: year })
  .filter(({ from, to }) => from !== undefined || to !== undefined)
const conditions = fc.uniqueArray(fc.oneof(condition, years), {
  selector: (one) => one.field,
  maxLength: 3,
})
const other: Filter = { op: 'not', content: { field: 'disease_type' } }

test('a filter made of conditions is taken apart into the same', () => {
  fc.assert(
    fc.property(conditions, fc.boolean(), (all, hasOther) => {
      const others = hasOther ? [other] : []
      expect(conditionsOf(filterOf({ conditions: all, others }))).toEqual({
        conditions: all,
        others,
      })
    }),
  )
})

test('a value that is taken in and out leaves the filter as it was', () => {
  fc.assert(
    fc.property(conditions, field, fc.string({ minLength: 1 }), (all, name, value) => {
      const filter = filterOf({ conditions: all, others: [] })
      const isRange = all.some((one) => one.field === name && 'from' in one)
      fc.pre(!isRange && !chosenValues(filter, name).includes(value))
      const taken = toggleValue(filter, name, value)
      expect(chosenValues(taken, name)).toContain(value)
      expect(toggleValue(taken, name, value)).toEqual(filter)
    }),
  )
})

test('what cannot be shown as a condition stays in the filter', () => {
  const group: Filter = { op: 'or', content: [other, other] }
  const filter: Filter = { op: 'and', content: [group, other] }
  expect(conditionsOf(filter)).toEqual({ conditions: [], others: [group, other] })
  const narrowed = withCondition(filter, 'primary_site', { field: 'primary_site', values: ['a'] })
  expect(narrowed).toEqual({
    op: 'and',
    content: [{ op: 'in', content: { field: 'primary_site', value: ['a'] } }, group, other],
  })
})

test('filters are joined, and nothing is no filter', () => {
  expect(bothOf(undefined, undefined)).toBeUndefined()
  expect(bothOf(other, undefined)).toEqual(other)
  expect(bothOf({ op: 'and', content: [other] }, other)).toEqual({
    op: 'and',
    content: [other, other],
  })
})

test('fields of cases get their prefix for other datasets, those of others keep theirs', () => {
  const filter = parseFilter(
    '{"op":"and","content":[{"op":"in","content":{"field":"primary_site","value":["x"]}},' +
      '{"op":"in","content":{"field":"genes.symbol","value":["TP53"]}}]}',
  )
  expect(JSON.stringify(prefixed(filter, 'cases'))).toBe(
    '{"op":"and","content":[{"op":"in","content":{"field":"cases.primary_site","value":["x"]}},' +
      '{"op":"in","content":{"field":"genes.symbol","value":["TP53"]}}]}',
  )
})

test.each(['', '[]', '{"op":"in"}', '{"op":"and","content":{}}', '{"op":"and","content":[1]}'])(
  'no filter: %s',
  (text) => {
    expect(() => parseFilter(text)).toThrow(SyntaxError)
  },
)

test('a field sees conditions on itself as ranges, and others as they are', () => {
  const gender = { op: 'in', content: { field: 'demographic.gender', value: ['female', 'male'] } }
  const site = { op: '=', content: { field: 'cases.primary_site', value: 'brain' } }
  const both: Filter = { op: 'and', content: [gender, site] }
  const range = (field: string, value: string) => ({
    op: 'and',
    content: ['>=', '<='].map((op) => ({ op, content: { field, value } })),
  })
  expect(seenByOwnField(both, 'primary_site')).toEqual({
    op: 'and',
    content: [gender, range('cases.primary_site', 'brain')],
  })
  expect(seenByOwnField(gender, 'demographic.gender')).toEqual({
    op: 'or',
    content: [range('demographic.gender', 'female'), range('demographic.gender', 'male')],
  })
  expect(seenByOwnField(undefined, 'primary_site')).toBeUndefined()
})
