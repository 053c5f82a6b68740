import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ScratchFile } from '../../shared/arrays/column-builder.ts'
import { blobKey } from '../../shared/blobs/blob-key.ts'
import type { BlobStores } from '../../shared/blobs/blob-stores.ts'
import { damage } from '../../shared/blobs/source.ts'
import type { SliceableFormat, StoredFile } from '../../shared/catalogue/files.ts'
import type { Executor } from '../../shared/executor.ts'
import { mustBe, openAlignment } from './alignment.ts'
import { type BuildOptions, buildDirectory } from './build-directory.ts'
import { saveDirectory } from './directory.ts'
import { type MadeIndex, makeFileIndex } from './file-index.ts'
import { indexNameOf } from './index-name.ts'
import type { AlignmentParts } from './parts.ts'
import { DIRECTORY_NAME, sendCopy, storedAlignment } from './stored.ts'

/**
 * Reads a whole file of sorted records and writes its block directory. Replaces an existing directory.
 * @returns the index of the file, built in the same pass
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
  const scratch = new ScratchFile(`${path}.rows`)
  try {
    mustBe(alignment, [sliceableFormatOf(file)])
    // A truncated file would pass as complete if it had a directory.
    if (!complete) throw damage('file has no end marker; it ends', identity.size)
    await mkdir(dirname(path), { recursive: true })
    const directory = await buildDirectory(blob, header, executor, { ...options, scratch })
    await saveDirectory(path, directory, identity)
    return await makeFileIndex(alignment, directory, executor)
  } finally {
    await scratch.close()
    await blob.close()
  }
}

/** Returns the format of the file. A file whose format was not validated earlier must be a BAM. */
function sliceableFormatOf(file: AlignmentParts['file']): SliceableFormat {
  const format = file?.dataFormat
  return format && format !== 'CRAM' ? format : 'BAM'
}

/**
 * Does the same as makeBlockDirectory for a stored file. If the file is in object storage, also uploads the
 * directory. The new index replaces the existing one.
 * @returns the index's name, and the fault of the former index
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
