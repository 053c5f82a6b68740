import { expect, test } from 'vitest'
import { knownReleases, releasesIn } from './known-releases.ts'

const facts = (major: number, minor: number, releaseDate: string) => ({
  id: `${major}-${minor}-${releaseDate}`,
  dataRelease: `Data Release ${major}.${minor}`,
  version: { major, minor, releaseDate },
  createdAt: `${releaseDate}T00:00:00.000Z`,
})

const KNOWN = knownReleases([
  facts(9, 0, '2017-10-24'),
  facts(33, 1, '2022-05-31'),
  facts(33, 0, '2022-05-03'),
  facts(10, 0, '2017-12-21'),
  facts(33, 0, '2023-01-01'),
])

test('releases are in the order of their numbers, each with its first date', () => {
  expect(KNOWN).toEqual([
    { number: '9.0', date: '2017-10-24' },
    { number: '10.0', date: '2017-12-21' },
    { number: '33.0', date: '2022-05-03' },
    { number: '33.1', date: '2022-05-31' },
  ])
})

test('a release whose folder is gone is known from a later one, by its first date', () => {
  const later = {
    ...facts(34, 0, '2022-07-27'),
    earlierReleases: [
      { number: '32.0', date: '2022-03-29' },
      { number: '33.1', date: '2022-06-01' },
    ],
  }
  expect(knownReleases([facts(33, 1, '2022-05-31'), later])).toEqual([
    { number: '32.0', date: '2022-03-29' },
    { number: '33.1', date: '2022-05-31' },
    { number: '34.0', date: '2022-07-27' },
  ])
})

test.each([
  ['32.0 - 34.0', ['32.0', '33.0', '33.1', '34.0']],
  ['33.0 - 33.1', ['33.0', '33.1']],
  ['9.0 - 10.0', ['9.0', '10.0']],
  ['9.0 - 9.0', ['9.0']],
  ['40.0', ['40.0']],
  ['spring - autumn', ['spring', 'autumn']],
  ['', []],
  [undefined, []],
])(
  'a file of "%s" is in its first and last release and in those known between: %j',
  (given, all) => {
    expect(releasesIn(given, KNOWN)).toEqual(all)
  },
)
