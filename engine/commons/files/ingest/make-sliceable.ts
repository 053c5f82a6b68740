import type { BlobStores } from '../../../shared/blobs/blob-stores.ts'
import type { FileCatalogue, StoredFile } from '../../../shared/catalogue/files.ts'
import type { Executor } from '../../../shared/executor.ts'
import { makeStoredDirectory } from '../../slicing/make-directory.ts'
import { isSliceableName } from './index-name.ts'
import { unsliceableBy } from './receive.ts'

export interface SliceableContext {
  readonly files: FileCatalogue
  readonly blobs: BlobStores
  readonly executor: Executor
  readonly signal?: AbortSignal | undefined
  /** Called with the bytes of the file that are done. */
  readonly onProgress?: ((bytes: number) => void) | undefined
}

/**
 * Has a stored BAM file sliced from now on: one pass proves every block and the sort order and makes
 * the block directory and the index, which are put beside the bytes; then the catalogue says so. Of a file that has
 * it nothing is read.
 * @returns why the file cannot be sliced; nothing when it can
 * @throws EngineError unavailable when the bytes are not there or the storage does not answer
 */
export async function makeSliceable(
  file: StoredFile,
  context: SliceableContext,
): Promise<string | undefined> {
  if (file.dataFormat !== null) return undefined
  if (!isSliceableName(file.fileName)) return `a file called "${file.fileName}" cannot be sliced`
  const made = await makeStoredDirectory(file, context, context).catch(unsliceableBy)
  if (typeof made === 'string') return made
  await context.files.add({ ...file, dataFormat: 'BAM', indexName: made.indexName })
  return undefined
}
