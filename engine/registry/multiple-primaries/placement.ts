import type { Diagnosis } from './diagnosis.ts'
import { FIRST_HISTOLOGY } from './diagnosis.ts'
import type { Group } from './groups.ts'

// Assigns a tumor to a group for a year (multiple-primaries.md 3).

/** Parses ranges such as `C180-C189, C199` to their bounds. Codes of sites become numbers. */
function rangesOf(text: string): (readonly [low: number, high: number])[] {
  return text.split(',').map((range) => {
    const [low = '', high = low] = range.trim().replaceAll('C', '').split('-')
    return [Number(low), Number(high)]
  })
}

/** Creates a flag for each number, starting with `first`. */
function flagsOf(text: string, count: number, first = 0): Uint8Array {
  const flags = new Uint8Array(count)
  for (const [low, high] of rangesOf(text)) flags.fill(1, low - first, high - first + 1)
  return flags
}

type Codes = Pick<Group, 'sites' | 'histologies' | 'notHistologies' | 'behaviors'>

function takes({ sites, histologies, notHistologies, behaviors }: Codes) {
  const bySite = flagsOf(sites ?? '000-999', 1000)
  const byBehavior = flagsOf(behaviors, 10)
  const byHistology = flagsOf(histologies ?? '8000-9999', 2000, FIRST_HISTOLOGY)
  if (notHistologies) {
    for (const [low, high] of rangesOf(notHistologies)) {
      byHistology.fill(0, low - FIRST_HISTOLOGY, high - FIRST_HISTOLOGY + 1)
    }
  }
  return ({ site, histology, behavior }: Diagnosis): boolean =>
    bySite[site] === 1 &&
    byBehavior[behavior] === 1 &&
    // Leading zeros of a histology do not change the group.
    byHistology[(histology % 10_000) - FIRST_HISTOLOGY] === 1
}

/** Years in which the same groups apply, until the next era starts. */
interface Era<T> {
  /** First year of diagnosis. */
  readonly start: number
  readonly groups: readonly { readonly value: T; readonly takes: (d: Diagnosis) => boolean }[]
}

/**
 * Creates a function that finds the group of a tumor. It returns undefined if no group contains the tumor.
 * @param groups with the value to return for each
 */
export function placement<T>(
  groups: readonly (readonly [Group, T])[],
): (diagnosis: Diagnosis, year: number) => T | undefined {
  const candidates = groups.flatMap(([group, value]) => {
    const one = { value, years: group.years, isLast: group.isForTheRest === true }
    const own = { ...one, takes: takes(group) }
    return group.also ? [own, { ...one, years: group.also.years, takes: takes(group.also) }] : [own]
  })
  const inOrder = candidates.toSorted((a, b) => Number(a.isLast) - Number(b.isLast))
  const starts = new Set(candidates.flatMap(({ years }) => startAndEnd(years)))
  const eras: readonly Era<T>[] = [...starts]
    .sort((a, b) => b - a)
    .map((start) => ({ start, groups: inOrder.filter(({ years }) => isYearIn(years, start)) }))
  return (diagnosis, year) =>
    eras.find(({ start }) => start <= year)?.groups.find((group) => group.takes(diagnosis))?.value
}

/** Returns the first year of a range and the first year after it. */
function startAndEnd(years: string): number[] {
  return rangesOf(years).flatMap(([low, high]) => [low, high + 1])
}

function isYearIn(years: string, year: number): boolean {
  return rangesOf(years).some(([low, high]) => low <= year && year <= high)
}
