import type { VersionName } from './entities.ts'

/** Compares names of versions part by part, parts of digits as numbers: 3.10 is newer than 3.9. */
export function newestFirst({ version: a }: VersionName, { version: b }: VersionName): number {
  const as = partsOf(a)
  const bs = partsOf(b)
  for (let i = 0; i < Math.min(as.length, bs.length); i++) {
    const order = compareParts(bs[i] ?? '', as[i] ?? '')
    if (order !== 0) return order
  }
  return bs.length - as.length || compareTexts(b, a)
}

function partsOf(version: string): string[] {
  return version.match(/\d+|[^\d._-]+/g) ?? []
}

function compareParts(a: string, b: string): number {
  const isNumber = /^\d/
  if (isNumber.test(a) && isNumber.test(b)) return Number(a) - Number(b)
  return compareTexts(a, b)
}

function compareTexts(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}
