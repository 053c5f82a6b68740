import type { LoopTurns } from '../../../shared/concurrency/loop-turns.ts'
import type { Scratch } from '../../../shared/executor.ts'
import { datasetOf } from '../../datasets/index.ts'
import type { Release } from '../../release/release.ts'
import { readRecords } from '../../search/read-records.ts'
import { Selections } from '../../search/selections.ts'
import { rowsOf } from './described-files.ts'

const FIELDS = ['annotations.annotation_id']

/** Number of records read without yielding to the event loop, which takes a few milliseconds. */
const BATCH_ROWS = 32

/**
 * Returns the ids of files' annotations in order, keyed by file id. Files without annotations are left out.
 * Access never depends on annotations, so they are read only on request.
 * @throws EngineError corrupt_source if the release is damaged
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
    const records = Uint32Array.from(batch, ([, row]) => row)
    const hits = await readRecords(projection, records, { release, scratch })
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
