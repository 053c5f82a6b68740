import { expect, test } from 'vitest'
import { CacheBudget } from './cache-budget.ts'
import { KeySlots } from './key-slots.ts'
import { madeTable } from './support/made-version.ts'
import { TableIndex } from './table-index.ts'

const TABLE = madeTable('t', {
  columns: ['INPUT a', 'INPUT b'],
  // There are more rows than bits in a word.
  rows: Array.from({ length: 100 }, (_, i) => [`${i},${i + 1}`, i % 2 === 0 ? '*' : '{{c}}']),
})

/** Looks up the rows for all pairs of some values, three times. */
function rowsOf(cacheBudget: CacheBudget): number[] {
  const keys = new KeySlots()
  const index = new TableIndex(TABLE, { keys, cacheBudget })
  const slots = ['a', 'b', 'c'].map((key) => keys.slotOf(key))
  const values = Array.from({ length: 3 * 101 }, (_, i) => i)
  return values.map((i) => {
    const context: string[] = []
    for (const [place, value] of [i % 101, i % 2, i % 3].entries()) {
      context[slots[place]!] = String(value)
    }
    return index.match(context)
  })
}

test('what was learned may be forgotten at any time', () => {
  const wanted = rowsOf(new CacheBudget())
  expect(wanted.slice(0, 4)).toEqual([0, 0, 2, 2])
  for (const most of [0, 1, 7, 50]) expect(rowsOf(new CacheBudget(most))).toEqual(wanted)
})

test('long values are answered and not stored', () => {
  const cacheBudget = new CacheBudget(1)
  const keys = new KeySlots()
  const wild = madeTable('t', { columns: ['INPUT a'], rows: [[`x${'y'.repeat(100)}`], ['*']] })
  const index = new TableIndex(wild, { keys, cacheBudget })
  expect([`x${'y'.repeat(100)}`, `z${'y'.repeat(100)}`].map((a) => index.match([a]))).toEqual([
    0, 1,
  ])
})
