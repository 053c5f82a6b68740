import { expect, test } from 'vitest'
import type { DatasetName } from '../datasets/define.ts'
import { datasetOf } from '../datasets/index.ts'
import { createResolver } from '../datasets/resolve.ts'
import { parseFilter, parseFilterOn } from '../query/filter.ts'
import { caseFieldOn, takesCaseFilters } from './case-filters.ts'

const leaf = (field: string) => ({ op: 'in', content: { field, value: ['x'] } })

/** A filter on cases, read for the dataset. */
function read(name: DatasetName, filter: unknown) {
  const { resolveFilter } = createResolver(datasetOf(name))
  return parseFilterOn(name, (field) => resolveFilter(caseFieldOn(name, field)), filter)
}

test('fields of cases are named as the dataset names them, at any depth', () => {
  const filter = {
    op: 'and',
    content: [leaf('cases.primary_site'), { op: 'or', content: [leaf('case.case_id')] }],
  }
  const expected = {
    op: 'and',
    content: [
      leaf('occurrence.case.primary_site'),
      { op: 'or', content: [leaf('occurrence.case.case_id')] },
    ],
  }
  expect(read('ssms', filter)).toEqual(parseFilter(datasetOf('ssms'), expected))
})

test('on cases only the own prefix goes', () => {
  expect(caseFieldOn('cases', 'cases.project.project_id')).toBe('project.project_id')
})

test('JSON text is read, and what is none is refused by its name', () => {
  const text = JSON.stringify(leaf('case_id'))
  expect(read('files', text)).toEqual(parseFilter(datasetOf('files'), leaf('cases.case_id')))
  const refused = expect.objectContaining({ code: 'bad_input', at: 'filters' })
  expect(() => read('files', '{"op"')).toThrow(refused)
  expect(() => read('files', 7)).toThrow(refused)
})

test('values that look like fields stay as they are', () => {
  const filter = { op: 'in', content: { field: 'case_id', value: ['cases.x'] } }
  expect(read('files', filter)).toMatchObject({ values: ['cases.x'] })
})

test('projects and genes hold no case to ask about', () => {
  expect(takesCaseFilters('projects')).toBe(false)
  expect(takesCaseFilters('genes')).toBe(false)
  expect(takesCaseFilters('cnv_occurrences')).toBe(true)
})
