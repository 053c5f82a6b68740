import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DiskSpace, isDiskFull } from '../../../shared/disk-space.ts'
import { EngineError } from '../../../shared/errors.ts'
import { NO_PATH, unlessAbsent } from '../../../shared/unless-absent.ts'
import type { ImportedFiles, ImportFiles, ImportFilesContext } from './file-import.ts'
import { mustBeLinkable } from './import-bam.ts'
import { lockFolder } from './import-lock.ts'
import { FileIntake } from './intake.ts'
import { type BadRow, type ManifestRow, readManifestRows } from './manifest-rows.ts'
import { ReleaseRecords } from './records.ts'

/** Rows that are put into the catalogue together, and bytes after which it is done anyway. */
const BATCH_ROWS = 256
const BATCH_BYTES = 64 << 20

/**
 * Stores the files of a download manifest (data-commons.md 3.7). Size and md5 are verified before a file can
 * be seen; what the current release says of it gives its rights. A file that is not as it should be
 * is a finding, and the others go on. Files that are there already are not read again; called again
 * after it was broken off at any moment, it completes.
 * @throws EngineError bad_input for what is no manifest, not_found, conflict when another process
 *   imports files here, unavailable
 */
export async function importFiles(
  what: ImportFiles,
  context: ImportFilesContext,
): Promise<ImportedFiles> {
  const space = new DiskSpace(context.dataFolder, context.reserveBytes)
  return space.guard(context.signal, (signal) => importAll(what, { ...context, signal, space }))
}

async function importAll(
  what: ImportFiles,
  context: ImportFilesContext & { readonly space: DiskSpace },
): Promise<ImportedFiles> {
  const { dataFolder, releases, signal, onProgress } = context
  mustBeLinkable(what.link ?? false, context.blobs)
  await mustBeThere(what)
  const total = onProgress ? await bytesOf(what.manifest, signal) : 0
  const message = 'files are being imported into this data folder by another process'
  const locked = await lockFolder(join(dataFolder, 'incoming', 'files'), message)
  try {
    const records = await ReleaseRecords.open(releases)
    try {
      const intake = new FileIntake(what, {
        ...context,
        records,
        incoming: locked.folder,
        onBytes: (bytes) => onProgress?.(bytes, total),
      })
      const rows = readManifestRows(what.manifest, { signal })
      for await (const batch of inBatches(rows)) await intake.take(batch)
      // Parts of files that a manifest of an earlier try named.
      await locked.remove()
      return intake.summary()
    } finally {
      await records?.close()
    }
  } catch (error) {
    // What was done stays for the next try, but not on a disk that it has filled.
    if (isDiskFull(error)) await locked.remove()
    throw error
  } finally {
    locked.close()
  }
}

async function mustBeThere({ manifest, from }: ImportFiles): Promise<void> {
  const folder = await unlessAbsent(stat(from), NO_PATH)
  if (!folder?.isDirectory()) {
    throw new EngineError('not_found', `no folder at "${from}"; give the folder of the files`)
  }
  const table = await unlessAbsent(stat(manifest), NO_PATH)
  if (!table || table.isDirectory()) {
    throw new EngineError('not_found', `no file at "${manifest}"; give a download manifest`)
  }
}

/** The manifest may be a pipe, which can be read only once. */
async function bytesOf(manifest: string, signal: AbortSignal | undefined): Promise<number> {
  const stats = await unlessAbsent(stat(manifest))
  let bytes = 0
  if (!stats?.isFile()) return bytes
  for await (const rows of readManifestRows(manifest, { signal })) {
    for (const row of rows) if ('size' in row) bytes += row.size
  }
  return bytes
}

async function* inBatches(
  chunks: AsyncIterable<readonly (ManifestRow | BadRow)[]>,
): AsyncGenerator<readonly (ManifestRow | BadRow)[], void, undefined> {
  let batch: (ManifestRow | BadRow)[] = []
  let bytes = 0
  for await (const rows of chunks) {
    for (const row of rows) {
      batch.push(row)
      if ('size' in row) bytes += row.size
      if (batch.length < BATCH_ROWS && bytes < BATCH_BYTES) continue
      yield batch
      batch = []
      bytes = 0
    }
  }
  if (batch.length > 0) yield batch
}
