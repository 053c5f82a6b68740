import { countsOf, type ReleaseArrays } from '../release/loaded.ts'
import type { SortOrder } from './query.ts'
import type { Selection } from './selection.ts'
import { type Direct, directOf, type Lookup, offsetsOver, type Source, sourceOf } from './source.ts'
import { walk } from './walk.ts'

// A code is the 1-based position of a value in its column's dictionary (release/layout.ts). Code 0: no value.

/**
 * Ranks of rows by one sort key (data-commons.md 2.1): 1 to `last - 1` in the requested direction, `last` for
 * rows without a value. A row with several values is ranked by the smallest in ascending order, and by the
 * largest in descending order.
 */
export interface Ranking {
  readonly last: number
  readonly descending: boolean
  ranksOf(rows: Uint32Array): Uint32Array
  readonly isById: boolean
  /** Code of each row, if all rows have at most one. */
  readonly lookup: Lookup | undefined
  /** Rows sorted by code with missing ones last, if precomputed. `valued` is the number of rows with a value. */
  readonly order: Uint32Array | undefined
  readonly valued: number
}

/** Returns the ranking by a field, or undefined if no record has the field. */
export function rankingOf(
  { field, descending }: SortOrder,
  rows: Pick<Selection, 'size' | 'count'>,
  arrays: ReleaseArrays,
): Ranking | undefined {
  const source = sourceOf(field, rows.size, arrays)
  if (!source.column) return undefined
  const { column, moves } = source
  const last = column.layout.distinct + 1
  const isById = column.layout.identity && moves.length === 0
  const direct = isById ? undefined : directOf(source, rows)
  const lookup = direct?.levels.length === 0 ? direct.lookup : undefined
  const codesOf = (some: Uint32Array): Uint32Array => {
    if (lookup) return looked(lookup, some)
    return direct ? chosen(direct, some, descending) : reached(source, some, descending)
  }
  return {
    last,
    descending,
    isById,
    lookup,
    ranksOf: (some) => ranked(codesOf(some), last, descending),
    order: lookup && !lookup.via ? column.order : undefined,
    valued: rows.size - (column.layout.identity ? 0 : countsOf(column)[0]!),
  }
}

/** Replaces codes by ranks in place. */
function ranked(codes: Uint32Array, last: number, descending: boolean): Uint32Array {
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i]!
    if (code === 0) codes[i] = last
    else if (descending) codes[i] = last - code
  }
  return codes
}

function looked({ codes, via }: Lookup, rows: Uint32Array): Uint32Array {
  const found = new Uint32Array(rows.length)
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!
    found[i] = codes[via ? via[row]! : row] as number
  }
  return found
}

/** Returns the least or greatest code of each row's elements, or 0 if none has a value. */
function chosen({ levels, lookup }: Direct, rows: Uint32Array, greatest: boolean): Uint32Array {
  const { codes, via } = lookup
  const offsets = offsetsOver(levels)
  const found = new Uint32Array(rows.length)
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!
    const end = offsets[row + 1]!
    let best = 0
    for (let n = offsets[row]!; n < end; n++) {
      const code = codes[via ? via[n]! : n] as number
      if (code !== 0 && (best === 0 || (greatest ? code > best : code < best))) best = code
    }
    found[i] = best
  }
  return found
}

/** Returns the least or greatest code that each row reaches by any kind of path, or 0 if it reaches none. */
function reached(source: Source, rows: Uint32Array, greatest: boolean): Uint32Array {
  const found = new Uint32Array(rows.length)
  let before = 0
  walk(source, rows, ({ rows: some, holders, values }) => {
    for (let i = 0; i < values.length; i++) {
      const place = before + (holders.owners[values.owners[i]!] as number)
      const code = values.members[i]!
      const best = found[place]!
      if (best === 0 || (greatest ? code > best : code < best)) found[place] = code
    }
    before += some.length
  })
  return found
}
