import type { VersionName } from './entities.ts'

/**
 * Sorts version names, newest first, comparing numeric parts as numbers: 3.10 is newer than 3.9. Prereleases
 * such as 3.9-beta are older than their release. Names that start with no number come last.
 */
export function newestFirst({ version: a }: VersionName, { version: b }: VersionName): number {
  const isNumbered = Number(NUMBERED.test(b)) - Number(NUMBERED.test(a))
  if (isNumbered !== 0) return isNumbered
  const as = partsOf(a)
  const bs = partsOf(b)
  for (let i = 0; i < Math.max(as.length, bs.length); i++) {
    const order = compareParts(bs[i], as[i])
    if (order !== 0) return order
  }
  return compareTexts(b, a)
}

const NUMBERED = /^v?\d/i
const NUMBER = /^\d/
/** Words that mark a prerelease. Anything else after a hyphen does, too. */
const EARLY = /^(?:-|alpha|beta|rc|pre|dev|draft|snapshot|test)/i

function partsOf(version: string): string[] {
  return version.replace(/^v(?=\d)/i, '').match(/\d+|-?[^\d._-]+/g) ?? []
}

function compareParts(a: string | undefined, b: string | undefined): number {
  const [first, second] = [rankOf(a), rankOf(b)]
  if (first !== second || a === undefined || b === undefined) return first - second
  return NUMBER.test(a) ? Number(a) - Number(b) : compareTexts(a, b)
}

/**
 * Ranks a part of a version name: 0 for a prerelease word, 1 for no part, 2 for another word, 3 for a number.
 * The resulting order is 3.9-beta, 3.9, 3.9b, 3.9.1, oldest first.
 */
function rankOf(part: string | undefined): number {
  if (part === undefined) return 1
  if (NUMBER.test(part)) return 3
  return EARLY.test(part) ? 0 : 2
}

function compareTexts(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}
