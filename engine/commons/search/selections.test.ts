import { expect, test } from 'vitest'
import { datasetOf } from '../datasets/index.ts'
import { Selections } from './selections.ts'

const files = datasetOf('files')

test('an equal selection is compiled once, another one by itself', () => {
  const selections = new Selections()
  const first = selections.of(files, { fields: ['file_name'] }, 'list')
  expect(selections.of(files, { fields: ['file_name'], expand: [] }, 'list')).toBe(first)
  const others = [
    selections.of(files, { fields: ['file_name'] }, 'single'),
    selections.of(files, { expand: ['file_name'] }, 'list'),
    selections.of(files, { fields: ['file_name', 'x'] }, 'list'),
    selections.of(files, { fields: ['file_name,x'] }, 'list'),
    selections.of(datasetOf('cases'), { fields: ['file_name'] }, 'list'),
    selections.of(files, {}, 'list'),
  ]
  expect(new Set([first, ...others]).size).toBe(7)
  expect(others[2]?.warnings).toEqual({ fields: 'unrecognized values: [x]' })
  expect(others[3]?.warnings).toEqual({
    fields: 'unrecognized values: [file_name,x]; did you mean "file_name"?',
  })
})

test('those used last are kept, and none that is very long', () => {
  const selections = new Selections()
  const usual = selections.of(files, {}, 'list')
  const early = selections.of(files, { fields: ['early'] }, 'list')
  for (let i = 0; i < 127; i++) {
    selections.of(files, { fields: [`f${i}`] }, 'list')
    expect(selections.of(files, {}, 'list')).toBe(usual)
  }
  expect(selections.of(files, { fields: ['early'] }, 'list')).not.toBe(early)
  const long = { fields: ['x'.repeat(3000)] }
  expect(selections.of(files, long, 'list')).not.toBe(selections.of(files, long, 'list'))
})
