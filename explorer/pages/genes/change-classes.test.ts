import { expect, test } from 'vitest'
import { consequenceName, copyClass, mutationClass } from './change-classes.ts'

test.each([
  [['intron_variant', 'missense_variant', 'stop_gained'], 'truncating'],
  [['synonymous_variant', 'missense_variant'], 'altering'],
  [['synonymous_variant', '3_prime_UTR_variant'], 'other'],
  [[], 'other'],
])('%j are drawn as the gravest of them: %s', (consequences, drawn) => {
  expect(mutationClass(consequences)).toBe(drawn)
})

test.each([
  [['Gain', 'Amplification'], 'amplified'],
  [['Loss', 'Homozygous Deletion'], 'deleted'],
  [['Gain'], 'gained'],
  [['Loss'], 'lost'],
  [['Neutral'], undefined],
  [[], undefined],
])('copy numbers %j are drawn as %s', (changes, drawn) => {
  expect(copyClass(changes)).toBe(drawn)
})

test('a consequence is called as people call it', () => {
  expect(['missense_variant', '3_prime_UTR_variant', 'stop_gained'].map(consequenceName)).toEqual([
    'missense',
    '3 prime UTR',
    'stop gained',
  ])
})
