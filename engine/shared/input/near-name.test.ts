import { expect, test } from 'vitest'
import { didYouMean, NearNames, nearestOf } from './near-name.ts'
import { spellingsOf } from './spellings.ts'

test.each([
  ['acess', ['access', 'acl'], 'access'],
  ['ACCESS', ['acl', 'access'], 'access'],
  ['consent', ['consent_type', 'contents'], 'consent_type'],
  ['qqqq', ['access', 'acl'], undefined],
  ['', ['access'], undefined],
  ['x'.repeat(101), ['x'.repeat(100)], undefined],
])('%s is meant for one of %j', (name, known, near) => {
  expect(new NearNames().of(name, known)).toBe(near)
})

test('comparisons are limited over all names of a request', () => {
  let taken = 0
  function* names() {
    for (let i = 0; i < 1_000_000; i++) {
      taken++
      yield `sample_type_${i}`
    }
  }
  const near = new NearNames(10_000)
  for (let i = 0; i < 100; i++) near.of('sample_typ', names())
  expect(taken).toBeLessThan(10_000)
})

test('names that cannot be alike are not compared letter by letter', () => {
  const near = new NearNames(100)
  const long = Array.from({ length: 50 }, () => 'z'.repeat(1000))
  expect(near.of('access', [...long, 'acess'])).toBe('acess')
})

test.each([
  [[['acess', 'access']], '; did you mean "access"?'],
  [[['acess', undefined]], ''],
  [
    [
      ['acess', 'access'],
      ['x', undefined],
    ],
    '; did you mean "access" for "acess"?',
  ],
  [
    [
      ['a', 'b'],
      ['c', 'd'],
    ],
    '; did you mean "b" for "a", "d" for "c"?',
  ],
] as const)('%j is asked as %s', (found, text) => {
  expect(didYouMean(found)).toBe(text)
})

test('the nearest of a few names ends a message', () => {
  expect(nearestOf('acess', ['acl', 'access'])).toBe('; did you mean "access"?')
  expect(nearestOf('qqqq', ['acl', 'access'])).toBe('')
})

test.each([
  ['17', ['chr17']],
  ['chrX', ['X', 'chrx', 'CHRX', 'Chrx', 'x']],
  ['MT', ['chrM', 'M', 'chrMT', 'mt', 'm']],
  ['tp53', ['TP53', 'Tp53']],
  ['open', ['OPEN', 'Open']],
])('%s is also spelled %j', (name, others) => {
  expect(spellingsOf(name)).toEqual(expect.arrayContaining(others))
  expect(spellingsOf(name)).not.toContain(name)
})
