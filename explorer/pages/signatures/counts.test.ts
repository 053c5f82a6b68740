import { expect, test } from 'vitest'
import { classBars, contextBars } from './counts.ts'

const group = (name: string) => ({ name, filter: undefined, cases: 3, shared: 0 })
const answer = {
  tested: 3,
  classes: ['C>A', 'C>G', 'C>T', 'T>A', 'T>C', 'T>G', 'insertion', 'deletion', 'other'],
  counts: [1, 0, 3, 0, 0, 0, 5, 0, 0],
  contexts: ['A[C>A]A', 'A[C>T]G'],
  context_counts: [1, 1],
  unknown_contexts: 2,
}

test('shares are of the six substitutions, without insertions and deletions', () => {
  const bars = classBars([group('a')], [answer])
  expect(bars.map(({ share }) => share)).toEqual([0.25, 0, 0.75, 0, 0, 0])
  expect(bars.map(({ substitution }) => substitution)).toEqual(bars.map(({ name }) => name))
})

test('contexts have the class between their bases, and groups without mutations have no shares', () => {
  const none = { ...answer, context_counts: [0, 0] }
  expect(contextBars([group('a'), group('b')], [answer, none])).toEqual([
    { group: 'a', name: 'A[C>A]A', substitution: 'C>A', count: 1, share: 0.5 },
    { group: 'a', name: 'A[C>T]G', substitution: 'C>T', count: 1, share: 0.5 },
    { group: 'b', name: 'A[C>A]A', substitution: 'C>A', count: 0, share: 0 },
    { group: 'b', name: 'A[C>T]G', substitution: 'C>T', count: 0, share: 0 },
  ])
})
