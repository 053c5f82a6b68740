import type { KnownRelease } from './layout.ts'
import type { ReleaseFacts } from './releases.ts'

/**
 * Returns the releases of a data folder, and earlier releases whose folders are gone, in ascending order. If a
 * number occurs several times, the earliest date is returned.
 */
export function knownReleases(facts: readonly ReleaseFacts[]): readonly KnownRelease[] {
  const dates = new Map<string, string>()
  const add = ({ number, date }: KnownRelease) => {
    const known = dates.get(number)
    if (known === undefined || date < known) dates.set(number, date)
  }
  for (const { version, earlierReleases = [] } of facts) {
    earlierReleases.forEach(add)
    add({ number: `${version.major}.${version.minor}`, date: version.releaseDate })
  }
  const known = Array.from(dates, ([number, date]) => ({ number, date }))
  return known.sort((a, b) => compareNumbers(a.number, b.number))
}

/**
 * Returns every release in a range `first - last`: both ends and the known releases between them.
 *
 * @example releasesIn('32.0 - 34.0', [{ number: '33.1', … }]) // ['32.0', '33.1', '34.0']
 */
export function releasesIn(
  dataRelease: string | undefined,
  known: readonly KnownRelease[],
): readonly string[] {
  if (dataRelease === undefined || dataRelease === '') return []
  const first = firstRelease(dataRelease) ?? dataRelease
  const last = dataRelease.split(' - ').at(-1)?.trim() ?? first
  if (last === first) return [first]
  const between = known
    .map(({ number }) => number)
    .filter((number) => compareNumbers(first, number) < 0 && compareNumbers(number, last) < 0)
  return [first, ...between, last]
}

/**
 * Returns the first release of a range.
 * @example firstRelease('32.0 - 37.0') // '32.0'
 */
export function firstRelease(dataRelease: string | undefined): string | undefined {
  return dataRelease?.split(' - ', 1)[0]?.trim() || undefined
}

function compareNumbers(a: string, b: string): number {
  const [majorA = 0, minorA = 0] = a.split('.').map(Number)
  const [majorB = 0, minorB = 0] = b.split('.').map(Number)
  return majorA - majorB || minorA - minorB
}
