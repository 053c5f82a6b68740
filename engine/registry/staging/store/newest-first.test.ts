import { expect, test } from 'vitest'
import { newestFirst } from './newest-first.ts'

test('versions are in the order of their numbers', () => {
  const versions = [
    ...['1.9', '02.05.50', '1.10', '2.1', '1.9-b', '1.9-a', '3', '1.9.1', 'abc', '1.9b'],
    ...['10.0-beta', '10.0', '9.0', 'v9.5', '10.0rc1', 'Z', '10.0-beta2'],
  ]
  const names = versions.map((version) => ({ algorithm: 'a', version }))
  expect(names.sort(newestFirst).map(({ version }) => version)).toEqual([
    ...['10.0', '10.0rc1', '10.0-beta2', '10.0-beta', 'v9.5', '9.0', '3', '02.05.50', '2.1'],
    ...['1.10', '1.9.1', '1.9b', '1.9', '1.9-b', '1.9-a', 'abc', 'Z'],
  ])
})
