import type { Executor } from '../../shared/executor.ts'
import { type LinesHandle, type LinesRun, manifestLines } from '../release/manifest-lines.ts'

const HEADER = 'id\tfilename\tmd5\tsize\tstate\n'

interface ManifestContext extends Pick<LinesRun, 'signal'> {
  readonly executor: Executor
  readonly release: Pick<LinesRun, 'buffers'> & { lines(): Promise<LinesHandle | undefined> }
}

/**
 * Renders a download manifest (data-commons.md 3.7): a header and one line per file, ordered by id.
 * @param files rows of the files dataset, in any order
 * @throws EngineError corrupt_source if the stored lines are damaged; busy
 */
export async function* renderManifest(
  files: Uint32Array,
  { release, executor, signal }: ManifestContext,
): AsyncGenerator<Uint8Array, undefined> {
  yield Buffer.from(HEADER)
  const lines = await release.lines()
  if (!lines) return
  const { buffers } = release
  yield* manifestLines(lines, distinct(files), executor, { signal, buffers })
}

/** Sorts rows and removes duplicates. Ascending rows are returned unchanged. */
function distinct(rows: Uint32Array): Uint32Array {
  if (rows.every((row, i) => i === 0 || row > rows[i - 1]!)) return rows
  const sorted = rows.toSorted()
  let count = 0
  for (const row of sorted) {
    if (count === 0 || sorted[count - 1] !== row) sorted[count++] = row
  }
  return sorted.subarray(0, count)
}
