import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { blobKey } from '../../../shared/blobs/blob-key.ts'
import type { BlobStores } from '../../../shared/blobs/blob-stores.ts'
import type { FileCatalogue, StoredFile } from '../../../shared/catalogue/files.ts'
import { EngineError } from '../../../shared/errors.ts'
import type { Executor } from '../../../shared/executor.ts'
import { openAlignment } from '../../slicing/alignment.ts'
import { buildDirectory } from '../../slicing/build-directory.ts'
import { saveDirectory } from '../../slicing/directory.ts'
import { DIRECTORY_NAME, storedAlignment } from '../../slicing/stored.ts'
import { isSliceableName } from './index-name.ts'
import { unsliceableBy } from './receive.ts'
import { sendCopy } from './shelve.ts'

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
 * the block directory, which is put beside the bytes; then the catalogue says so. Of a file that has
 * it nothing is read.
 * @returns why the file cannot be sliced; nothing when it can
 * @throws EngineError unavailable when the bytes are not there or the storage does not answer
 */
export async function makeSliceable(
  file: StoredFile,
  context: SliceableContext,
): Promise<string | undefined> {
  if (file.dataFormat === 'BAM') return undefined
  if (!isSliceableName(file.fileName)) return `a file called "${file.fileName}" cannot be sliced`
  const problem = await saveVerified(file, context).catch(unsliceableBy)
  if (problem === undefined) await context.files.add({ ...file, dataFormat: 'BAM' })
  return problem
}

async function saveVerified(file: StoredFile, context: SliceableContext): Promise<undefined> {
  const { blobs, executor, signal, onProgress } = context
  const { key, open, identity: identityNow, trustMilliseconds } = storedAlignment(blobs, file)
  const { blob, header, identity, complete } = await openAlignment(
    { key, open, identity: identityNow, trustMilliseconds },
    executor,
  )
  try {
    if (!complete) {
      throw new EngineError('corrupt_source', 'file has no end marker: it is cut off')
    }
    const directory = await buildDirectory(blob, header, executor, { signal, onProgress })
    const place = blobKey(file.id, DIRECTORY_NAME)
    const path = blobs.folder.path(place)
    await mkdir(dirname(path), { recursive: true })
    await saveDirectory(path, directory, identity)
    const store = blobs.of(file.storage)
    if (store.kind !== 'folder') await sendCopy(store, place, path, signal)
  } finally {
    await blob.close()
  }
}
