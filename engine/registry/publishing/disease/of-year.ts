import type { Disease } from './definition.ts'
import { holdsIn } from './ranges.ts'

/**
 * Reduces the lists of a disease to the elements that are valid in a year (registry.md 3). A missing start or
 * end is unbounded, and elements without years are kept.
 */
export function ofYear<Shown extends Partial<Disease>>(disease: Shown, year: number): Shown {
  const members = Object.entries(disease).flatMap(([name, value]): [string, unknown][] => {
    if (!Array.isArray(value)) return [[name, value]]
    const left = value.filter((element) => isOfYear(element, year))
    return left.length === 0 && value.length > 0 ? [] : [[name, left]]
  })
  return Object.fromEntries(members) as Shown
}

function isOfYear(element: unknown, year: number): boolean {
  if (typeof element !== 'object' || element === null) return true
  const start = 'start' in element ? yearOf(element.start) : undefined
  const end = 'end' in element ? yearOf(element.end) : undefined
  return holdsIn({ ...(start && { start }), ...(end && { end }) }, year)
}

/** Years are numbers; days are texts that start with their year. */
function yearOf(end: unknown): number | undefined {
  if (typeof end === 'number') return end
  return typeof end === 'string' ? Number.parseInt(end, 10) : undefined
}
