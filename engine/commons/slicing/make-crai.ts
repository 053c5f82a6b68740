import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { blobKey } from '../../shared/blobs/blob-key.ts'
import type { BlobStores } from '../../shared/blobs/blob-stores.ts'
import type { StoredFile } from '../../shared/catalogue/files.ts'
import { CRAM_END, writeCrai } from '../../shared/formats/cram.ts'
import { craiFault, wasMade } from '../containers/crai.ts'
import { type ContainerRun, slicesOf } from '../containers/prove-containers.ts'
import { indexPathOf } from './alignment.ts'
import { indexNameOf } from './index-name.ts'
import { sendCopy, storedAlignment } from './stored.ts'

/**
 * Returns whether the index of a stored CRAM file is missing or was not built by casemill.
 * @throws EngineError unavailable
 */
export async function hasBroughtCrai(file: StoredFile, blobs: BlobStores): Promise<boolean> {
  const path = await indexPathOf(storedAlignment(blobs, file))
  return path === undefined || !(await wasMade(path))
}

/**
 * Rebuilds the index of a stored CRAM file, unless it was built by casemill.
 * @returns the new index and the fault of the former one, or undefined if nothing was done
 * @throws EngineError corrupt_source, bad_input, unavailable; the signal's reason
 */
export async function makeStoredCrai(
  file: StoredFile,
  blobs: BlobStores,
  run: ContainerRun,
): Promise<{ readonly indexName: string; readonly fault: string | undefined } | undefined> {
  if (!(await hasBroughtCrai(file, blobs))) return undefined
  const parts = storedAlignment(blobs, file)
  const given = await indexPathOf(parts)
  const blob = await parts.open()
  try {
    const { lines } = await slicesOf(blob, run)
    const fault = given === undefined ? undefined : await craiFault(given, lines)
    const indexName = indexNameOf(file.fileName, '.crai')
    const key = blobKey(file.id, indexName)
    const path = blobs.folder.path(key)
    await mkdir(dirname(path), { recursive: true })
    const part = `${path}.made`
    await writeFile(part, writeCrai(lines, blob.identity.size - CRAM_END.length))
    const store = blobs.of(file.storage)
    if (store.kind !== 'folder') await sendCopy(store, key, part, run.signal)
    await blobs.folder.takeAll([{ key, path: part }])
    return { indexName, fault }
  } finally {
    await blob.close()
  }
}
