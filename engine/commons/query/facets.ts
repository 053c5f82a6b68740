import type { FieldPath } from '../datasets/field-path.ts'
import { isNumberType } from '../release/fold.ts'
import type { ReleaseArrays } from '../release/loaded.ts'
import type { Keep } from './joined.ts'
import type { Selection } from './selection.ts'
import { statsOf } from './stats.ts'
import { type Tally, tallyRows } from './tally.ts'

/** One facet as JSON text: the buckets of a text field, the statistics of a number field. */
export function facetText(
  field: FieldPath,
  rows: Selection,
  arrays: ReleaseArrays,
  keep?: Keep,
): string {
  if (isNumberType(field.type)) return JSON.stringify({ stats: statsOf(field, rows, arrays) })
  return bucketsText(tallyRows(field, rows, arrays, keep))
}

/** By count, the largest first, then by key as UTF-8 orders them; `_missing` is the last. */
function bucketsText({ column, counts }: Tally): string {
  const buckets: string[] = []
  if (column) {
    for (const code of byCount(counts)) {
      const key = JSON.stringify(column.dictionary.text(code))
      buckets.push(`{"doc_count":${counts[code]},"key":${key}}`)
    }
  }
  const missing = counts[0]!
  if (missing > 0) buckets.push(`{"doc_count":${missing},"key":"_missing"}`)
  return `{"buckets":[${buckets.join(',')}]}`
}

/** Codes that were counted at all, most often counted first, then ascending. */
function byCount(counts: Uint32Array): Float64Array {
  let most = 0
  let used = 0
  for (let code = 1; code < counts.length; code++) {
    const count = counts[code]!
    if (count > 0) used++
    if (count > most) most = count
  }
  // One number holds both: at most rows times distinct values, far below 2^53.
  const places = new Float64Array(used)
  let filled = 0
  for (let code = 1; code < counts.length; code++) {
    const count = counts[code]!
    if (count > 0) places[filled++] = (most - count) * counts.length + code
  }
  places.sort()
  for (let i = 0; i < used; i++) places[i] = places[i]! % counts.length
  return places
}
