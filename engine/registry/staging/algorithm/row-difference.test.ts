import { expect, test } from 'vitest'
import type { Cell, StagingTable } from './model.ts'
import { rowDifference } from './row-difference.ts'

type Row = readonly Cell[]

const tableOf = (rows: readonly Row[], more: StagingTable['definition'] = []): StagingTable => ({
  id: 't',
  definition: [{ key: 'a', type: 'INPUT' }, { key: 'b', type: 'ENDPOINT' }, ...more],
  rows,
})

const difference = (before: readonly Row[], after: readonly Row[]) =>
  rowDifference(tableOf(before), tableOf(after))

const A: Row = ['1', 'VALUE:x']
const B: Row = ['2', 'VALUE:x']
const C: Row = ['3', 'VALUE:x']

test('equal tables differ in nothing, repeated rows included', () => {
  expect(difference([A, B, B, A], [A, B, B, A])).toEqual([])
  expect(difference([], [])).toEqual([])
})

test('rows are added, removed and changed', () => {
  const changed: Row = ['2', 'VALUE:y']
  expect(difference([A, B], [A, C, B])).toEqual([{ change: 'added', to: 1, after: C }])
  expect(difference([A, C, B], [A, B])).toEqual([{ change: 'removed', from: 1, before: C }])
  expect(difference([A, B, C], [A, changed, C])).toEqual([
    { change: 'changed', from: 1, to: 1, before: B, after: changed },
  ])
})

test('a row that goes elsewhere is moved', () => {
  expect(difference([A, B, C], [B, C, A])).toEqual([
    { change: 'moved', from: 0, to: 2, before: A, after: A },
  ])
})

test('one of two equal rows goes', () => {
  expect(difference([A, B, B, C], [A, B, C])).toEqual([{ change: 'removed', from: 2, before: B }])
})

test('columns that one table lacks do not count', () => {
  const note = [{ key: 'note', type: 'DESCRIPTION' }] as const
  const [before, after] = [
    tableOf([A, B]),
    tableOf(
      [
        [...A, 'one'],
        [...B, 'two'],
      ],
      note,
    ),
  ]
  expect(rowDifference(before, after)).toEqual([])
})

// Property: applying the removed and added rows to the old table, by position, gives the new table.
test('the changes lead from any table to any other', () => {
  let state = 7
  const random = (below: number) => {
    state = (state * 1103515245 + 12345) % 2147483648
    return Math.floor((state / 2147483648) * below)
  }
  const rows = () =>
    Array.from({ length: random(12) }, (): Row => [String(random(5)), `VALUE:${random(2)}`])
  for (let round = 0; round < 3000; round++) {
    const [before, after] = [rows(), rows()]
    const changes = difference(before, after)
    const gone = new Set(changes.flatMap((one) => (one.change === 'added' ? [] : [one.from])))
    const made = before.filter((_, place) => !gone.has(place))
    const come = changes.flatMap((one) => (one.change === 'removed' ? [] : [one]))
    for (const { to, after: cells } of come) made.splice(to, 0, cells)
    expect(made).toEqual(after)
    for (const one of changes) {
      if (one.change === 'changed') expect(one.before[0]).toBe(one.after[0])
      if (one.change === 'moved') expect(one.before).toEqual(one.after)
    }
  }
})
