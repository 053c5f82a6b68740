import { expect, test } from 'vitest'
import { MUTATION_CLASSES, mutationClass } from './substitution-classes.ts'

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
