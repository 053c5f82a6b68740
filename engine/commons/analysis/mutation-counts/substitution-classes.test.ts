import { expect, test } from 'vitest'
import {
  CONTEXTS,
  contextPlace,
  MUTATION_CLASSES,
  mutationClass,
  UNKNOWN_CONTEXT,
} from './substitution-classes.ts'

// Alexandrov et al. 2013, Signatures of mutational processes in human cancer: six classes, named by the pyrimidine
// of the mutated Watson-Crick base pair.
test.each([
  ['C', 'A', 'C>A'],
  ['G', 'T', 'C>A'],
  ['C', 'G', 'C>G'],
  ['G', 'C', 'C>G'],
  ['C', 'T', 'C>T'],
  ['G', 'A', 'C>T'],
  ['T', 'A', 'T>A'],
  ['A', 'T', 'T>A'],
  ['T', 'C', 'T>C'],
  ['A', 'G', 'T>C'],
  ['T', 'G', 'T>G'],
  ['A', 'C', 'T>G'],
  ['a', 'c', 'T>G'],
  ['-', 'A', 'insertion'],
  ['A', '-', 'deletion'],
  ['', 'GG', 'insertion'],
  ['CA', 'C', 'deletion'],
  ['CC', 'TT', 'other'],
  ['A', 'A', 'other'],
  ['N', 'A', 'other'],
  ['', '', 'other'],
])('%j to %j is %s', (reference, tumor, expected) => {
  expect(MUTATION_CLASSES[mutationClass(reference, tumor)]).toBe(expected)
})

// COSMIC, Mutational Signatures v3.4, SBS96: the order of its tables, and the same context on both strands.
test('the 96 contexts are those of COSMIC, with purines read on the other strand', () => {
  expect(CONTEXTS).toHaveLength(96)
  expect(new Set(CONTEXTS).size).toBe(96)
  expect(CONTEXTS.slice(0, 5)).toEqual(['A[C>A]A', 'A[C>A]C', 'A[C>A]G', 'A[C>A]T', 'C[C>A]A'])
  expect(CONTEXTS.at(-1)).toBe('T[T>G]T')
  const named = (reference: string, tumor: string, around: string) =>
    CONTEXTS[contextPlace(mutationClass(reference, tumor), around)]
  expect(named('C', 'T', 'ACG')).toBe('A[C>T]G')
  expect(named('G', 'A', 'CGT')).toBe('A[C>T]G')
  expect(named('A', 'C', 'gac')).toBe('G[T>G]C')
})

test.each(['', 'A', 'ANG', 'NCG', 'ATG'])('the context %j of a C is unknown', (around) => {
  expect(contextPlace(mutationClass('C', 'T'), around)).toBe(UNKNOWN_CONTEXT)
})
