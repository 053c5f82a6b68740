import type { BlobStores } from '../../../shared/blobs/blob-stores.ts'
import type { FileCatalogue, StoredFile } from '../../../shared/catalogue/files.ts'
import type { Executor } from '../../../shared/executor.ts'
import { isSliceableName } from '../../slicing/index-name.ts'
import { makeStoredDirectory } from '../../slicing/make-directory.ts'
import { unsliceableBy } from './receive.ts'

interface SliceableContext {
  readonly files: FileCatalogue
  readonly blobs: BlobStores
  readonly executor: Executor
  readonly signal?: AbortSignal | undefined
  /** Called with the number of the file's bytes that have been processed. */
  readonly onProgress?: ((bytes: number) => void) | undefined
}

/**
 * Makes a stored BAM file sliceable. One pass verifies every block and the sort order, and builds the block
 * directory and the index. Both are stored with the file before the catalogue is updated. A file that is already
 * sliceable is not read.
 * @returns the reason why the file cannot be sliced, or undefined if it can
 * @throws EngineError unavailable if the bytes are missing or the storage does not respond
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
