import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DiskSpace, isDiskFull } from '../disk-space.ts'
import { EngineError } from '../errors.ts'
import type { Finding } from '../finding.ts'
import type { Releases } from '../release/releases.ts'
import { type ImportContext, mustBeLinkable } from './import-bam.ts'
import { lockFolder } from './import-lock.ts'
import { FileIntake } from './intake.ts'
import { type BadRow, type ManifestRow, readManifestRows } from './manifest-rows.ts'
import { ReleaseRecords } from './records.ts'
import type { GivenRights } from './rights.ts'

export interface ImportFiles extends GivenRights {
  /** Path of a download manifest, plain or gzip. */
  readonly manifest: string
  /** Folder with the files: each under its name, or in a folder that is called by its id. */
  readonly from: string
  /** Refer to the files where they are instead of copying them. */
  readonly link?: boolean
}

/** The total of `onProgress` is 0 where it is not known. */
export interface ImportFilesContext extends ImportContext {
  readonly releases: Releases
  /** Told of each file that is not stored, and why; its id, or the line of the manifest. */
  readonly onFinding?: ((finding: Finding) => void | Promise<void>) | undefined
  /** Told what else is worth knowing of a file that is stored. */
  readonly onNote?: ((note: Finding) => void) | undefined
}

export interface ImportedFiles {
  readonly stored: number
  /** Files that were there before. */
  readonly known: number
  readonly storedBytes: number
  readonly findings: number
  /** Stored or known files that no record of the current release speaks of. */
  readonly withoutRecord: number
  /** Stored or known files that nobody but an administrator may read. */
  readonly forAdministrators: number
}

/** Rows that are put into the catalogue together, and bytes after which it is done anyway. */
const BATCH_ROWS = 256
const BATCH_BYTES = 64 << 20

/**
 * Stores the files of a download manifest (contract 3.7). Size and md5 are verified before a file can
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
  const folder = await stat(from).catch(() => undefined)
  if (!folder?.isDirectory()) {
    throw new EngineError('not_found', `no folder at "${from}"; give the folder of the files`)
  }
  const table = await stat(manifest).catch(() => undefined)
  if (!table || table.isDirectory()) {
    throw new EngineError('not_found', `no file at "${manifest}"; give a download manifest`)
  }
}

/** The manifest may be a pipe, which can be read only once. */
async function bytesOf(manifest: string, signal: AbortSignal | undefined): Promise<number> {
  const stats = await stat(manifest).catch(() => undefined)
  let bytes = 0
  if (!stats?.isFile()) return bytes
  for await (const rows of readManifestRows(manifest, { signal })) {
    for (const row of rows) if ('size' in row) bytes += row.size
  }
  return bytes
}

async function* inBatches(
  pieces: AsyncIterable<readonly (ManifestRow | BadRow)[]>,
): AsyncGenerator<readonly (ManifestRow | BadRow)[], void, undefined> {
  let batch: (ManifestRow | BadRow)[] = []
  let bytes = 0
  for await (const rows of pieces) {
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
