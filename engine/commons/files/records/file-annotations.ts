import type { LoopTurns } from '../../../shared/concurrency/loop-turns.ts'
import type { Scratch } from '../../../shared/executor.ts'
import { datasetOf } from '../../datasets/index.ts'
import type { Release } from '../../release/release.ts'
import { readRecords } from '../../search/read-records.ts'
import { Selections } from '../../search/selections.ts'
import { rowsOf } from './described-files.ts'

const FIELDS = ['annotations.annotation_id']

/** Records that are read without a pause: some milliseconds. */
const BATCH_ROWS = 32

/**
 * Ids of the annotations of files by the files' ids, in their order; files without any are left out.
 * No right depends on them, so they are read only for who asks for them.
 * @throws EngineError corrupt_source
 */
export async function annotationIdsOf(
  fileIds: readonly string[],
  release: Release,
  scratch: Scratch,
  turns: LoopTurns,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const { projection } = new Selections().of(datasetOf('files'), { fields: FIELDS }, 'list')
  const rows = [...(await rowsOf('files', fileIds, release, { turns }))]
  const found = new Map<string, readonly string[]>()
  for (let at = 0; at < rows.length; at += BATCH_ROWS) {
    await turns.pause()
    const batch = rows.slice(at, at + BATCH_ROWS)
    const asked = Uint32Array.from(batch, ([, row]) => row)
    const hits = await readRecords(projection, asked, { release, scratch })
    for (const [i, [id]] of batch.entries()) {
      const ids = [hits[i]?.annotations].flat().flatMap(idOf)
      if (ids.length > 0) found.set(id, ids)
    }
  }
  return found
}

function idOf(annotation: unknown): string[] {
  const { annotation_id: id } = (annotation ?? {}) as { readonly annotation_id?: unknown }
  return typeof id === 'string' && id !== '' ? [id] : []
}
