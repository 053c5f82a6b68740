import { describe, expect, test } from 'vitest'
import { parseCurves } from './curves.ts'

const on = (field: string, value: unknown, op = 'in') => ({ op, content: { field, value } })
const male = on('demographic.gender', 'male')
const female = on('cases.demographic.gender', ['female'])

const paths = (request: Parameters<typeof parseCurves>[0]) =>
  parseCurves(request).map((filter) =>
    filter?.kind === 'leaf' ? filter.values.join() : (filter?.parts.length ?? 'all'),
  )

describe('the filters', () => {
  test('are one curve each; one alone is one, and none is one over all', () => {
    expect(paths({ filters: [male, female] })).toEqual(['male', 'female'])
    expect(paths({ filters: male })).toEqual(['male'])
    expect(paths({ filters: [] })).toEqual(['all'])
    expect(paths({})).toEqual(['all'])
    expect(paths({ filters: {} })).toEqual(['all'])
    expect(paths({ filters: [{}, male, {}] })).toEqual(['all', 'male', 'all'])
  })

  test('may be JSON text one by one', () => {
    expect(paths({ filters: [JSON.stringify(male), female] })).toEqual(['male', 'female'])
  })

  test('are asked together with the filter on cases', () => {
    expect(paths({ filters: [male, {}], caseFilters: female })).toEqual([2, 'female'])
    expect(paths({ caseFilters: female })).toEqual(['female'])
  })
})

describe('a fault is told with its place', () => {
  test.each([
    [{ filters: [male, {}, { op: 'and', content: [{ op: 'near' }] }] }, 'filters[2].content[0].op'],
    [{ filters: [on('no.such_field', 1)] }, 'filters[0].content.field'],
    [{ filters: ['{"op":'] }, 'filters[0]'],
    [{ filters: [[male]] }, 'filters[0]'],
    [{ filters: { op: 'in', content: {} } }, 'filters.content.field'],
    [{ filters: 5 }, 'filters'],
    [{ filters: male, caseFilters: { op: 'or', content: [] } }, 'case_filters.content'],
  ])('%j', (request, at) => {
    expect(() => parseCurves(request)).toThrow(expect.objectContaining({ code: 'bad_input', at }))
  })
})

describe('of 10,000 terms', () => {
  const terms = (count: number) =>
    on(
      'submitter_id',
      Array.from({ length: count }, (_, i) => `a${i}`),
    )

  test('all curves together have no more', () => {
    expect(parseCurves({ filters: [terms(9_000), terms(999), {}] })).toHaveLength(3)
    expect(() => parseCurves({ filters: [terms(9_000), terms(1000), {}] })).toThrow('10000 terms')
  })
})

test('an answer has 256 curves at most', () => {
  expect(parseCurves({ filters: Array(256).fill({}) })).toHaveLength(256)
  expect(() => parseCurves({ filters: Array(257).fill({}) })).toThrow('at most 256')
})
