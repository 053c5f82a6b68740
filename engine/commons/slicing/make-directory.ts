import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { blobKey } from '../../shared/blobs/blob-key.ts'
import type { BlobStores } from '../../shared/blobs/blob-stores.ts'
import { damage } from '../../shared/blobs/source.ts'
import type { StoredFile } from '../../shared/catalogue/files.ts'
import type { Executor } from '../../shared/executor.ts'
import { mustBeBam, openAlignment } from './alignment.ts'
import { type BuildOptions, buildDirectory } from './build-directory.ts'
import { saveDirectory } from './directory.ts'
import type { AlignmentParts } from './parts.ts'
import { DIRECTORY_NAME, sendCopy, storedAlignment } from './stored.ts'

/**
 * Reads a BAM file through, and writes the block directory that proves it, whether there is one or not.
 * @throws EngineError corrupt_source, bad_input, unavailable; the signal's reason
 */
export async function makeBlockDirectory(
  { key, open, identity: identityNow, trustMilliseconds }: AlignmentParts,
  path: string,
  executor: Executor,
  options: BuildOptions = {},
): Promise<void> {
  const alone = { key, open, identity: identityNow, trustMilliseconds }
  const alignment = await openAlignment(alone, executor)
  const { blob, header, identity, complete } = alignment
  try {
    mustBeBam(alignment)
    // A directory would take the file for whole: its last records would seem to be all there are.
    if (!complete) throw damage('file has no end marker; it ends', identity.size)
    const directory = await buildDirectory(blob, header, executor, options)
    await mkdir(dirname(path), { recursive: true })
    await saveDirectory(path, directory, identity)
  } finally {
    await blob.close()
  }
}

/** As makeBlockDirectory, of a stored file: of one in object storage the directory goes there, too. */
export async function makeStoredDirectory(
  file: StoredFile,
  { blobs, executor }: { readonly blobs: BlobStores; readonly executor: Executor },
  options: BuildOptions = {},
): Promise<void> {
  const place = blobKey(file.id, DIRECTORY_NAME)
  const path = blobs.folder.path(place)
  await makeBlockDirectory(storedAlignment(blobs, file), path, executor, options)
  const store = blobs.of(file.storage)
  if (store.kind !== 'folder') await sendCopy(store, place, path, options.signal)
}
