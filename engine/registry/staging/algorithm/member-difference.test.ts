import { expect, test } from 'vitest'
import { memberDifference } from './member-difference.ts'

const difference = (before: unknown, after: unknown) => [...memberDifference(before, after)]

test('members are added, removed and changed', () => {
  expect(difference({ a: 1, b: 2, d: { e: 1 } }, { b: 3, c: 4, d: { e: 2 } })).toEqual([
    { at: 'b', change: 'changed', before: 2, after: 3 },
    { at: 'c', change: 'added', after: 4 },
    { at: 'd.e', change: 'changed', before: 1, after: 2 },
    { at: 'a', change: 'removed', before: 1 },
  ])
  expect(difference({ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] })).toEqual([])
})

test('elements of lists are reported by their names', () => {
  const before = { inputs: [{ key: 'size', default: '1' }, { key: 'gone' }] }
  const after = { inputs: [{ key: 'new' }, { key: 'size', default: '2' }] }
  expect(difference(before, after)).toEqual([
    { at: 'inputs[new]', change: 'added', after: { key: 'new' } },
    { at: 'inputs[size].default', change: 'changed', before: '1', after: '2' },
    { at: 'inputs[gone]', change: 'removed', before: { key: 'gone' } },
  ])
})

test('another order of a list is reported', () => {
  const [a, b] = [{ id: 'a' }, { id: 'b' }]
  expect(difference({ tables: [a, b] }, { tables: [b, a] })).toEqual([
    { at: 'tables', change: 'changed', before: ['a', 'b'], after: ['b', 'a'] },
  ])
})

test('lists without names of their own are compared as wholes', () => {
  const [one, two] = [[{ id: 'a' }, { id: 'a' }], [{ id: 'a' }]]
  expect(difference({ tables: one }, { tables: two })).toEqual([
    { at: 'tables', change: 'changed', before: one, after: two },
  ])
  expect(difference({ words: ['a'] }, { words: [] })).toHaveLength(1)
})
