import { foldText } from '../../release/fold.ts'
import { columnKey, levelKey } from '../../release/layout.ts'
import type { ArrayKey, Column, ReleaseArrays } from '../../release/loaded.ts'

/** Groups of a file's record that list files which belong to it, such as its index. */
export const RELATED_GROUPS = ['index_files', 'metadata_files'] as const

/** What `rowsListing` looks at. */
export const LISTING_KEYS: readonly ArrayKey[] = RELATED_GROUPS.flatMap((group) => [
  columnKey('files', `${group}.file_id`),
  levelKey('files', group),
])

/**
 * Rows of the file records that list these ids among what belongs to them, by id; ids that none
 * lists are left out. One look for all ids.
 * @param arrays those of LISTING_KEYS
 */
export function rowsListing(
  ids: Iterable<string>,
  arrays: ReleaseArrays,
): Map<string, readonly number[]> {
  const listing = new Map<string, number[]>()
  for (const group of RELATED_GROUPS) {
    const column = arrays.column('files', `${group}.file_id`)
    const parents = arrays.level('files', group)?.parents
    if (!column || !parents) continue
    const wanted = new Map<number, string>()
    for (const id of ids) {
      const code = column.dictionary.find(foldText('keyword', id))
      if (code > 0) wanted.set(code, id)
    }
    // Most files are listed nowhere, and nothing is gone through for them.
    if (wanted.size === 0) continue
    for (const [element, code] of elementsOf(column, wanted)) {
      const id = wanted.get(code) ?? ''
      const rows = listing.get(id) ?? []
      rows.push(parents[element] ?? 0)
      listing.set(id, rows)
    }
  }
  return listing
}

/** Elements that have one of the codes, and which. */
function* elementsOf(
  { codes, offsets }: Column,
  wanted: ReadonlyMap<number, string>,
): Generator<readonly [element: number, code: number]> {
  if (!codes) return
  let element = 0
  for (let place = 0; place < codes.length; place++) {
    const code = codes[place] ?? 0
    if (!wanted.has(code)) continue
    // With offsets an element has several values, and they lead to it.
    while (offsets && (offsets[element + 1] ?? Infinity) <= place) element++
    yield [offsets ? element : place, code]
  }
}
