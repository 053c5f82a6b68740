import { arraysOf } from '../release/arrays.ts'
import { columnKey } from '../release/layout.ts'
import type { Release } from '../release/release.ts'

/** Returns the total bytes of all files in a release. Files without a recorded size count as 0. */
export async function sizeOfFiles(release: Release): Promise<number> {
  const loaded = await release.load([columnKey('files', 'file_size')])
  const column = arraysOf(loaded).column('files', 'file_size')
  if (!column?.codes) return 0
  // This takes a few milliseconds for a million files, because it reads one column and no documents.
  let bytes = 0
  for (const code of column.codes) if (code > 0) bytes += column.dictionary.number(code)
  return bytes
}
