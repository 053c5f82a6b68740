import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DiskSpace, isDiskFull } from '../../../shared/disk-space.ts'
import { EngineError } from '../../../shared/errors.ts'
import { NO_PATH, unlessAbsent } from '../../../shared/unless-absent.ts'
import type { ImportedFiles, ImportFiles, ImportFilesContext } from './file-import.ts'
import { mustBeLinkable } from './import-bam.ts'
import { lockFolder } from './import-lock.ts'
import { FileIntake } from './intake.ts'
import {
  type BadRow,
  type ManifestReading,
  type ManifestRow,
  readManifestRows,
} from './manifest-rows.ts'
import { ReleaseRecords } from './records.ts'

/** Maximum number of rows to add to the catalogue together. */
const BATCH_ROWS = 256
/** Bytes of files at which a batch is added to the catalogue, even if it has fewer rows. */
const BATCH_BYTES = 64 << 20

/**
 * Stores the files of a download manifest (data-commons.md 3.7). Size and MD5 are verified before a file becomes
 * visible, and its rights come from the current release. A file with a problem is reported, and the other files
 * are still stored. Files that are already stored are not read again. After an interruption, another call
 * completes the import.
 * @throws EngineError bad_input if it is not a manifest, or with `strict` for a row that cannot be used,
 *   before anything is stored if the manifest can be read twice; not_found; conflict if another process is
 *   importing files into the data folder; unavailable
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
  const { manifest, strict = false } = what
  const total = onProgress || strict ? await bytesOf(manifest, { signal, strict }) : 0
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
      const rows = readManifestRows(manifest, { signal, strict, onColumns: context.onColumns })
      for await (const batch of inBatches(rows)) await intake.take(batch)
      // Removes partial files of earlier attempts.
      await locked.remove()
      return intake.summary()
    } finally {
      await records?.close()
    }
  } catch (error) {
    // Completed work is kept for the next attempt, unless it has filled the disk.
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

/**
 * Returns the total size of the manifest's files. A pipe can be read only once, so its total is unknown.
 * @throws EngineError as readManifestRows
 */
async function bytesOf(manifest: string, reading: ManifestReading): Promise<number> {
  const stats = await unlessAbsent(stat(manifest))
  let bytes = 0
  if (!stats?.isFile()) return bytes
  for await (const rows of readManifestRows(manifest, reading)) {
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
