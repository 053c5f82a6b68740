import { expect, test } from 'vitest'
import { caseFilterOn, takesCaseFilters } from './case-filters.ts'

const leaf = (field: string) => ({ op: 'in', content: { field, value: ['x'] } })

test('fields of cases are named as the dataset names them, at any depth', () => {
  const filter = {
    op: 'and',
    content: [leaf('cases.primary_site'), { op: 'or', content: [leaf('case.case_id')] }],
  }
  expect(caseFilterOn('ssms', filter)).toEqual({
    op: 'and',
    content: [
      leaf('occurrence.case.primary_site'),
      { op: 'or', content: [leaf('occurrence.case.case_id')] },
    ],
  })
})

test('on cases only the own prefix goes', () => {
  expect(caseFilterOn('cases', leaf('cases.project.project_id'))).toEqual(
    leaf('project.project_id'),
  )
})

test('JSON text is read, and what is none is left for the parser to refuse', () => {
  expect(caseFilterOn('files', JSON.stringify(leaf('case_id')))).toEqual(leaf('cases.case_id'))
  expect(caseFilterOn('files', '{"op"')).toBe('{"op"')
  expect(caseFilterOn('files', 7)).toBe(7)
})

test('values that look like fields stay as they are', () => {
  const filter = { op: 'in', content: { field: 'case_id', value: [{ field: 'cases.x' }] } }
  expect(caseFilterOn('files', filter)).toEqual({
    op: 'in',
    content: { field: 'cases.case_id', value: [{ field: 'cases.x' }] },
  })
})

test('projects and genes hold no case to ask about', () => {
  expect(takesCaseFilters('projects')).toBe(false)
  expect(takesCaseFilters('genes')).toBe(false)
  expect(takesCaseFilters('cnv_occurrences')).toBe(true)
})
