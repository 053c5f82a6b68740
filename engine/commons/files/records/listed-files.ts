import { foldText } from '../../release/fold.ts'
import { columnKey, levelKey } from '../../release/layout.ts'
import type { ArrayKey, Column, ReleaseArrays } from '../../release/loaded.ts'

/** Fields of a file's record that list related files, such as its index. */
export const RELATED_GROUPS = ['index_files', 'metadata_files'] as const

/** Keys of the arrays that `rowsListing` reads. */
export const LISTING_KEYS: readonly ArrayKey[] = RELATED_GROUPS.flatMap((group) => [
  columnKey('files', `${group}.file_id`),
  levelKey('files', group),
])

/**
 * Returns the rows of file records that list the given ids, by id. Ids that no record lists are left out. All
 * ids are searched in one pass.
 * @param arrays must include those of LISTING_KEYS
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
    // If no id is in the dictionary of listed files, which is common, the scan is skipped.
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

/** Yields the elements with one of the codes. */
function* elementsOf(
  { codes, offsets }: Column,
  wanted: ReadonlyMap<number, string>,
): Generator<readonly [element: number, code: number]> {
  if (!codes) return
  let element = 0
  for (let place = 0; place < codes.length; place++) {
    const code = codes[place] ?? 0
    if (!wanted.has(code)) continue
    // A column with offsets has several values per element.
    while (offsets && (offsets[element + 1] ?? Infinity) <= place) element++
    yield [offsets ? element : place, code]
  }
}
