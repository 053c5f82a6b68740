import { arraysOf } from '../release/arrays.ts'
import { columnKey } from '../release/layout.ts'
import type { Release } from '../release/release.ts'

/** Bytes of all files that a release has records of; those without a size count nothing. */
export async function sizeOfFiles(release: Release): Promise<number> {
  const loaded = await release.load([columnKey('files', 'file_size')])
  const column = arraysOf(loaded).column('files', 'file_size')
  if (!column?.codes) return 0
  // Of a million files some milliseconds, by one look at each and no look into a document.
  let bytes = 0
  for (const code of column.codes) if (code > 0) bytes += column.dictionary.number(code)
  return bytes
}
