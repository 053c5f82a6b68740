import { expect, test } from 'vitest'
import { newestFirst } from './newest-first.ts'

test('versions are in the order of their numbers', () => {
  const versions = ['1.9', '02.05.50', '1.10', '2.1', '1.9-b', '1.9-a', '3', '1.9.1']
  const names = versions.map((version) => ({ algorithm: 'a', version }))
  expect(names.sort(newestFirst).map(({ version }) => version)).toEqual([
    '3',
    '02.05.50',
    '2.1',
    '1.10',
    '1.9-b',
    '1.9-a',
    '1.9.1',
    '1.9',
  ])
})
