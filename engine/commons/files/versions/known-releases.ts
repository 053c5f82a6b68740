import type { ReleaseFacts } from '../../release/releases.ts'

/** A release as version records name it. */
export interface KnownRelease {
  /** Number, such as `32.0`. */
  readonly number: string
  /** Date as YYYY-MM-DD. */
  readonly date: string
}

/** Returns the releases of a data folder in ascending order. The earliest of equal numbers is kept. */
export function knownReleases(facts: readonly ReleaseFacts[]): readonly KnownRelease[] {
  const dates = new Map<string, string>()
  for (const { version } of facts) {
    const number = `${version.major}.${version.minor}`
    if (!dates.has(number)) dates.set(number, version.releaseDate)
  }
  const known = Array.from(dates, ([number, date]) => ({ number, date }))
  return known.sort((a, b) => compareNumbers(a.number, b.number))
}

/**
 * Returns every release in a range `first - last`: both ends and the known releases in between.
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
