import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { blobKey } from '../../shared/blobs/blob-key.ts'
import type { BlobStores } from '../../shared/blobs/blob-stores.ts'
import { damage } from '../../shared/blobs/source.ts'
import type { SliceableFormat, StoredFile } from '../../shared/catalogue/files.ts'
import type { Executor } from '../../shared/executor.ts'
import { indexNameOf } from '../files/ingest/index-name.ts'
import { mustBe, openAlignment } from './alignment.ts'
import { type BuildOptions, buildDirectory } from './build-directory.ts'
import { saveDirectory } from './directory.ts'
import { type MadeIndex, makeFileIndex } from './file-index.ts'
import type { AlignmentParts } from './parts.ts'
import { DIRECTORY_NAME, sendCopy, storedAlignment } from './stored.ts'

/**
 * Reads a file of sorted records through, and writes the block directory that proves it, whether there is one or not.
 * @returns the index of the file, made in the same pass
 * @throws EngineError corrupt_source, bad_input, unavailable; the signal's reason
 */
export async function makeBlockDirectory(
  { key, file, open, identity: identityNow, trustMilliseconds, indexPath }: AlignmentParts,
  path: string,
  executor: Executor,
  options: BuildOptions = {},
): Promise<MadeIndex> {
  const alone = { key, open, identity: identityNow, trustMilliseconds, indexPath }
  const alignment = await openAlignment(alone, executor)
  const { blob, header, identity, complete } = alignment
  try {
    mustBe(alignment, [sliceableFormatOf(file)])
    // A directory would take the file for whole: its last records would seem to be all there are.
    if (!complete) throw damage('file has no end marker; it ends', identity.size)
    const directory = await buildDirectory(blob, header, executor, options)
    await mkdir(dirname(path), { recursive: true })
    await saveDirectory(path, directory, identity)
    return await makeFileIndex(alignment, directory, executor)
  } finally {
    await blob.close()
  }
}

/** A file that was not proved before is to be BAM. */
function sliceableFormatOf(file: AlignmentParts['file']): SliceableFormat {
  const format = file?.dataFormat
  return format && format !== 'CRAM' ? format : 'BAM'
}

/**
 * As makeBlockDirectory, of a stored file: of one in object storage the directory goes there, too. The index takes
 * the place of the one that is there.
 * @returns its name, and what was wrong with the one before
 */
export async function makeStoredDirectory(
  file: StoredFile,
  { blobs, executor }: { readonly blobs: BlobStores; readonly executor: Executor },
  options: BuildOptions = {},
): Promise<{ readonly indexName: string; readonly fault: string | undefined }> {
  const place = blobKey(file.id, DIRECTORY_NAME)
  const path = blobs.folder.path(place)
  const made = await makeBlockDirectory(storedAlignment(blobs, file), path, executor, options)
  const indexName = indexNameOf(file.fileName, `.${made.kind}`)
  const indexPlace = blobKey(file.id, indexName)
  const part = `${path}.index`
  await writeFile(part, made.bytes)
  const store = blobs.of(file.storage)
  if (store.kind !== 'folder') {
    await sendCopy(store, place, path, options.signal)
    await sendCopy(store, indexPlace, part, options.signal)
  }
  await blobs.folder.takeAll([{ key: indexPlace, path: part }])
  return { indexName, fault: made.fault }
}
