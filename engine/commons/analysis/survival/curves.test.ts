import { describe, expect, test } from 'vitest'
import { readCurves } from './curves.ts'

const on = (field: string, value: unknown, op = 'in') => ({ op, content: { field, value } })
const male = on('demographic.gender', 'male')
const female = on('cases.demographic.gender', ['female'])

const paths = async (request: Parameters<typeof readCurves>[0]) =>
  (await readCurves(request)).map((filter) =>
    filter?.kind === 'leaf' ? filter.values.join() : (filter?.parts.length ?? 'all'),
  )

describe('the filters', () => {
  test('are one curve each; one alone is one, and none is one over all', async () => {
    expect(await paths({ filters: [male, female] })).toEqual(['male', 'female'])
    expect(await paths({ filters: male })).toEqual(['male'])
    expect(await paths({ filters: [] })).toEqual(['all'])
    expect(await paths({})).toEqual(['all'])
    expect(await paths({ filters: {} })).toEqual(['all'])
    expect(await paths({ filters: [{}, male, {}] })).toEqual(['all', 'male', 'all'])
  })

  test('may be JSON text one by one', async () => {
    expect(await paths({ filters: [JSON.stringify(male), female] })).toEqual(['male', 'female'])
  })

  test('are asked together with the filter on cases', async () => {
    expect(await paths({ filters: [male, {}], caseFilters: female })).toEqual([2, 'female'])
    expect(await paths({ caseFilters: female })).toEqual(['female'])
  })
})

describe('a fault is reported with its place', () => {
  test.each([
    [{ filters: [male, {}, { op: 'and', content: [{ op: 'near' }] }] }, 'filters[2].content[0].op'],
    [{ filters: [on('no.such_field', 1)] }, 'filters[0].content.field'],
    [{ filters: ['{"op":'] }, 'filters[0]'],
    [{ filters: [[male]] }, 'filters[0]'],
    [{ filters: { op: 'in', content: {} } }, 'filters.content.field'],
    [{ filters: 5 }, 'filters'],
    [{ filters: male, caseFilters: { op: 'or', content: {} } }, 'case_filters.content'],
  ])('%j', async (request, at) => {
    await expect(readCurves(request)).rejects.toMatchObject({ code: 'bad_input', at })
  })
})

describe('of 65,536 values', () => {
  const values = (count: number) =>
    on(
      'submitter_id',
      Array.from({ length: count }, (_, i) => `a${i}`),
    )

  test('all curves together have no more, the filter on cases included', async () => {
    const filters = [values(60_000), values(5_534), {}]
    expect(await readCurves({ filters, caseFilters: values(1) })).toHaveLength(3)
    const beyond = readCurves({ filters, caseFilters: values(2) })
    await expect(beyond).rejects.toThrow('more than 65536 values')
    await expect(readCurves({ filters: [...filters, {}, {}] })).rejects.toThrow('65536 values')
  })
})

test('an answer has 256 curves at most', async () => {
  expect(await readCurves({ filters: Array(256).fill({}) })).toHaveLength(256)
  await expect(readCurves({ filters: Array(257).fill({}) })).rejects.toThrow('at most 256')
})
