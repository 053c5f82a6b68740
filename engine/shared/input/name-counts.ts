export interface NameCount {
  readonly name: string
  readonly count: number
}

/** Maximum number of entries in a list of names in the report. */
const MAX_NAMES = 20

export function mostFrequent(counts: ReadonlyMap<string, number>): readonly NameCount[] {
  return [...counts]
    .map(([name, count]) => ({ name, count }))
    .sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1))
    .slice(0, MAX_NAMES)
}
