import type { Cell, Column, StagingTable } from './model.ts'

type Cells = readonly Cell[]

/** A change of a row. Indexes are 0-based. `from` is in the old table, `to` in the new table. */
export type RowChange =
  | { readonly change: 'added'; readonly to: number; readonly after: Cells }
  | { readonly change: 'removed'; readonly from: number; readonly before: Cells }
  | {
      /** `moved` if the cells are equal. The order matters, because the first matching row decides a case. */
      readonly change: 'changed' | 'moved'
      readonly from: number
      readonly to: number
      readonly before: Cells
      readonly after: Cells
    }

/**
 * Finds the rows that differ between two tables in O(n log n): removed ones first, the others in the order of
 * the new table. Cells are compared in common columns. Rows that occur once in both tables and keep their order
 * form a frame (patience sorting: Bespamyatnikh and Segal, 2000). Of the other rows, an old and a new one are
 * paired as moved if all cells are equal, and as changed if the cells of the inputs are.
 */
export function rowDifference(before: StagingTable, after: StagingTable): RowChange[] {
  const columns = commonColumns(before.definition, after.definition)
  const whole = { before: textsOf(before.rows, columns, 0), after: textsOf(after.rows, columns, 1) }
  const rest = unmatched(whole.before, whole.after)
  const asking = columns.filter(({ type }) => type === 'INPUT')
  const asked = { before: textsOf(before.rows, asking, 0), after: textsOf(after.rows, asking, 1) }
  const partners = new Map<number, number>()
  for (const texts of [whole, asked]) pair(rest, texts, partners)
  const left = new Set(rest.before)
  for (const from of partners.values()) left.delete(from)
  return [
    ...[...left].map((from) => ({
      change: 'removed' as const,
      from,
      before: before.rows[from] ?? [],
    })),
    ...rest.after.map((to): RowChange => {
      const cells = after.rows[to] ?? []
      const from = partners.get(to)
      if (from === undefined) return { change: 'added', to, after: cells }
      const isEqual = whole.before[from] === whole.after[to]
      const change = isEqual ? 'moved' : 'changed'
      return { change, from, to, before: before.rows[from] ?? [], after: cells }
    }),
  ]
}

/** A column that both tables have, with its index in each. */
interface CommonColumn {
  readonly type: Column['type']
  readonly places: readonly [before: number, after: number]
}

function commonColumns(before: readonly Column[], after: readonly Column[]): CommonColumn[] {
  const places = new Map(namesOf(after).map((name, place) => [name, place]))
  return namesOf(before).flatMap((name, place) => {
    const other = places.get(name)
    const type = before[place]?.type
    return other === undefined || type === undefined ? [] : [{ type, places: [place, other] }]
  })
}

/** Returns a unique name for each column of a table. */
function namesOf(columns: readonly Column[]): string[] {
  const counts = new Map<string, number>()
  return columns.map(({ type, key, name = '' }) => {
    const text = `${type} ${key ?? name}`
    const count = counts.get(text) ?? 0
    counts.set(text, count + 1)
    return `${text} ${count}`
  })
}

const textsOf = (rows: readonly Cells[], columns: readonly CommonColumn[], side: 0 | 1) =>
  rows.map((cells) => JSON.stringify(columns.map(({ places }) => cells[places[side]] ?? null)))

interface Both<Of> {
  readonly before: Of
  readonly after: Of
}

type Place = readonly [before: number, after: number]

/** Returns the indexes of unmatched rows, in ascending order. */
function unmatched(before: readonly string[], after: readonly string[]): Both<number[]> {
  const rest: Both<number[]> = { before: [], after: [] }
  let [i, j] = [0, 0]
  const end: Place = [before.length, after.length]
  for (const [nextBefore, nextAfter] of [...frame(before, after), end]) {
    let [endBefore, endAfter] = [nextBefore, nextAfter]
    // Repeated rows are matched if they are next to matched rows.
    while (i < endBefore && j < endAfter && before[i] === after[j]) {
      i++
      j++
    }
    while (i < endBefore && j < endAfter && before[endBefore - 1] === after[endAfter - 1]) {
      endBefore--
      endAfter--
    }
    while (i < endBefore) rest.before.push(i++)
    while (j < endAfter) rest.after.push(j++)
    i = nextBefore + 1
    j = nextAfter + 1
  }
  return rest
}

/** Returns a longest ascending sequence among the rows that occur once in both tables. */
function frame(before: readonly string[], after: readonly string[]): Place[] {
  const places = placesOfUnique(after)
  const pairs = [...placesOfUnique(before)].flatMap(([text, place]): Place[] => {
    const other = places.get(text)
    return other === undefined ? [] : [[place, other]]
  })
  // Longest increasing subsequence: the last pair of the best sequence of each length, and its predecessor.
  const ends: number[] = []
  const previous: (number | undefined)[] = []
  for (const [index, [, place]] of pairs.entries()) {
    let [low, high] = [0, ends.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((pairs[ends[middle] ?? 0]?.[1] ?? 0) < place) low = middle + 1
      else high = middle
    }
    previous[index] = ends[low - 1]
    ends[low] = index
  }
  const run: Place[] = []
  for (let at = ends.at(-1); at !== undefined; at = previous[at]) {
    const found = pairs[at]
    if (found) run.push(found)
  }
  return run.reverse()
}

function placesOfUnique(texts: readonly string[]): Map<string, number> {
  const places = new Map<string, number>()
  const repeated = new Set<string>()
  for (const [place, text] of texts.entries()) {
    if (places.has(text)) repeated.add(text)
    places.set(text, place)
  }
  for (const text of repeated) places.delete(text)
  return places
}

/** Pairs each unmatched row of the new table with the first free row of the old table that has the same text. */
function pair(rest: Both<number[]>, texts: Both<string[]>, partners: Map<number, number>): void {
  const taken = new Set(partners.values())
  const free = Map.groupBy(
    rest.before.filter((place) => !taken.has(place)).toReversed(),
    (place) => texts.before[place],
  )
  for (const to of rest.after) {
    if (partners.has(to)) continue
    const from = free.get(texts.after[to])?.pop()
    if (from !== undefined) partners.set(to, from)
  }
}
