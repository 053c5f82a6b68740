import type { ReleaseArrays } from '../release/loaded.ts'
import type { SortOrder } from './query.ts'
import type { Selection } from './select.ts'
import { directOf, type Lookup, type Source, sourceOf } from './source.ts'
import { budgetOf } from './tally.ts'
import { walk } from './walk.ts'

/**
 * Places of rows by one sort key: from 1 to `last - 1` in the asked direction, `last` for a row
 * without a value (contract 2.1: absent values last). A row with several values has the place of
 * its smallest one when ascending, of its largest one when descending.
 */
export interface Ranking {
  readonly last: number
  readonly descending: boolean
  /** In the order of the rows. */
  ranksOf(rows: Uint32Array): Uint32Array
  /** The values are the ids, in whose order the rows are. */
  readonly isById: boolean
  /** The codes of all rows, when they have one each. */
  readonly lookup: Lookup | undefined
  /** Rows by code, missing last, when the release has that; and how many are not missing. */
  readonly order: Uint32Array | undefined
  readonly valued: number
}

/** `undefined`: no record has the field, so it orders nothing. */
export function rankingOf(
  { field, descending }: SortOrder,
  rows: Pick<Selection, 'size' | 'count'>,
  arrays: ReleaseArrays,
): Ranking | undefined {
  const source = sourceOf(field, rows.size, arrays)
  if (!source.column) return undefined
  const { column, outer, inner } = source
  const last = column.layout.distinct + 1
  const toRank = (code: number) => (code === 0 ? last : descending ? last - code : code)
  const isById = column.layout.identity && outer.moves.length + inner.moves.length === 0
  const direct = isById ? undefined : directOf(source, rows.size, budgetOf(rows.count))
  const lookup = direct?.levels.length === 0 ? direct.lookup : undefined
  return {
    ...{ last, descending, isById, lookup },
    ranksOf: (some) =>
      (lookup ? looked(lookup, some) : reached(source, some, descending)).map(toRank),
    order: lookup && !lookup.via ? column.order : undefined,
    valued: rows.size - (column.counts[0] as number),
  }
}

function looked({ codes, via }: Lookup, rows: Uint32Array): Uint32Array {
  const found = new Uint32Array(rows.length)
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as number
    found[i] = codes[via ? (via[row] as number) : row] as number
  }
  return found
}

/** The least or the greatest code that each row reaches. */
function reached(source: Source, rows: Uint32Array, greatest: boolean): Uint32Array {
  const codes = new Uint32Array(rows.length)
  let before = 0
  walk(source, rows, ({ rows: some, holders, values }) => {
    for (let i = 0; i < values.length; i++) {
      const place = before + (holders.owners[values.owners[i] as number] as number)
      const code = values.members[i] as number
      const known = codes[place] as number
      if (known === 0 || (greatest ? code > known : code < known)) codes[place] = code
    }
    before += some.length
  })
  return codes
}
