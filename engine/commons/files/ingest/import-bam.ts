import { lstat, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { BlobStores } from '../../../shared/blobs/blob-stores.ts'
import { openFile } from '../../../shared/blobs/folder-store.ts'
import type { FileCatalogue, StoredFile } from '../../../shared/catalogue/files.ts'
import { nameUuid } from '../../../shared/catalogue/uuid.ts'
import { DiskSpace } from '../../../shared/disk-space.ts'
import { EngineError } from '../../../shared/errors.ts'
import type { Executor } from '../../../shared/executor.ts'
import type { CheckStore } from '../../../shared/integrity/check-store.ts'
import { unlessAbsent } from '../../../shared/unless-absent.ts'
import { explainAbsence } from '../../slicing/explain-file.ts'
import { COPY_BYTES, copyHashed } from './copy.ts'
import { findIndex } from './find-index.ts'
import { indexNameOf, isSliceableName } from './index-name.ts'
import type { ImportedKind } from './prove-file.ts'
import { giveUp, type Received, receiveFile } from './receive.ts'
import { isForNobody, type Rights } from './rights.ts'
import { shelve } from './shelve.ts'

export interface ImportBam {
  readonly path: string
  /** What it has to be; by default BAM. */
  readonly kind?: ImportedKind | undefined
  /** Id to store it under; by default one made from its md5, name and project. */
  readonly id?: string | undefined
  /** Its index (BAI, TBI, CSI or CRAI); by default whatever lies beside it under a usual name. */
  readonly indexPath?: string | undefined
  /**
   * Who may read it where no record of the release speaks of it: left out, only those of the project;
   * of a file that was stored before, those who could then.
   */
  readonly access?: 'open' | 'controlled' | undefined
  readonly project?: string | undefined
  /** Refer to the file where it is instead of copying it. */
  readonly link?: boolean
}

export interface ImportContext {
  readonly dataFolder: string
  readonly files: FileCatalogue
  readonly blobs: BlobStores
  readonly executor: Executor
  readonly clock: () => Date
  /** Where files that were found damaged are remembered. */
  readonly checks?: CheckStore | undefined
  /** What is left free on the disk of the data folder. */
  readonly reserveBytes?: number | undefined
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((bytes: number, total: number) => void) | undefined
}

export interface ImportedBam {
  readonly file: StoredFile
  readonly records: number
  /** Whether the same bytes were stored under this id before. */
  readonly known: boolean
  readonly warnings: readonly string[]
}

/**
 * Stores a BAM file, or one of variants or features: one pass proves every block and the sort order and makes the block directory,
 * beside it the bytes are copied and hashed. Interrupted, it goes on where it was when called again
 * for the same file; the file can be seen only when everything is in place.
 * @throws EngineError bad_input (another format, not sorted, bad id, a link with object storage), not_found,
 *   corrupt_source, already_exists, conflict, unavailable (the disk is full; nothing is kept then)
 */
export async function importBam(what: ImportBam, context: ImportContext): Promise<ImportedBam> {
  const space = new DiskSpace(context.dataFolder, context.reserveBytes)
  return space.guard(context.signal, (signal) => importOne(what, { ...context, signal, space }))
}

async function importOne(
  what: ImportBam,
  context: ImportContext & { readonly space: DiskSpace },
): Promise<ImportedBam> {
  const { executor, blobs, space, signal, onProgress } = context
  const { path, link = false } = what
  mustBeLinkable(link, blobs)
  mustBeSliceableName(path)
  const indexPath = what.indexPath ?? (await findIndex(path))
  const absence = what.indexPath === undefined ? undefined : await explainAbsence(what.indexPath)
  if (absence) throw absence
  // For the display alone: what is wrong with the file is reported when it is opened.
  const { size: total } = await lstat(path).catch(() => ({ size: 0 }))
  const received = await receiveFile(
    { path, link, proof: 'must', accepts: what.kind ?? 'BAM', indexPath },
    {
      executor,
      space,
      incoming: join(context.dataFolder, 'incoming'),
      buffer: Buffer.allocUnsafeSlow(COPY_BYTES),
      signal,
      onVerified: (bytes) => onProgress?.(bytes, total),
    },
  )
  return storeReceived(what, received, context)
}

/**
 * Stores a BAM file that was received, and finishes its workplace.
 * @throws EngineError as importBam
 */
export async function storeReceived(
  what: ImportBam,
  received: Received,
  context: ImportContext,
): Promise<ImportedBam> {
  const { files, blobs, checks, signal } = context
  try {
    const described = describe(what, received, context)
    const known = await files.find(described.id)
    const file = { ...described, ...formerRights(what, known) }
    if (known && known.md5 !== file.md5) {
      throw new EngineError(
        'already_exists',
        `id ${file.id} belongs to a file with md5 ${known.md5}, this one has ${file.md5}`,
        { at: 'id' },
      )
    }
    // Bytes that are being served and are the same are left alone.
    const isPlaced =
      !what.link &&
      known !== undefined &&
      (await isCopy(known, file, { blobs, partPath: received.partPath }))
    await shelve([{ received, file, isPlaced }], { files, blobs, checks, signal })
    const { records, warnings } = received.proof ?? {}
    return {
      file: (await files.find(file.id)) ?? file,
      records: records ?? 0,
      known: known !== undefined,
      warnings: [...(warnings ?? []), ...(isForNobody(file) ? [FOR_NOBODY] : [])],
    }
  } catch (error) {
    await giveUp(received.workplace, error)
    throw error
  } finally {
    await received.workplace.close()
  }
}

/** @throws EngineError bad_input */
export function mustBeSliceableName(path: string): void {
  if (isSliceableName(basename(path))) return
  const message = `a file called "${basename(path)}" cannot be sliced; rename it`
  throw new EngineError('bad_input', message)
}

/** @throws EngineError bad_input */
export function mustBeLinkable(link: boolean, { writing }: BlobStores): void {
  if (!link || writing.kind === 'folder') return
  throw new EngineError(
    'bad_input',
    'files cannot be linked where object storage is used; leave out --link',
    { at: 'link' },
  )
}

/** Nobody but an administrator may read it. */
const FOR_NOBODY =
  'it is controlled and no project is named: unless a record of the release says who may read it, only administrators may; say --project ID, or --access open'

/** What was said of a file before stays when nobody says anything now. */
function formerRights(
  { access, project }: ImportBam,
  known: StoredFile | undefined,
): Partial<Rights> {
  if (!known || access !== undefined || project !== undefined) return {}
  return { access: known.access, acl: known.acl, partOf: known.partOf }
}

function describe(what: ImportBam, received: Received, context: ImportContext): StoredFile {
  const { path, id, access = 'controlled', project, link } = what
  const { md5, size, proof, linkedModified } = received
  const fileName = basename(path)
  return {
    id: id?.toLowerCase() ?? nameUuid('file', md5, fileName, project ?? ''),
    fileName,
    size,
    md5,
    dataFormat: proof?.format ?? null,
    access,
    acl: project === undefined ? [] : [project],
    partOf: null,
    indexName: indexNameOf(fileName, proof?.indexPath),
    storage: link ? 'folder' : context.blobs.writing.kind,
    linkedModified,
    createdAt: context.clock().toISOString(),
  }
}

/** A link to a file outside does not count: that may be moved or changed at any time. */
async function isCopy(
  known: StoredFile,
  file: StoredFile,
  { blobs, partPath }: { readonly blobs: BlobStores; readonly partPath: string | undefined },
): Promise<boolean> {
  const { folder } = blobs
  if (known.storage !== 'folder' || file.storage !== 'folder') return false
  const path = folder.path({ id: file.id, name: file.fileName })
  const stats = await unlessAbsent(lstat(path))
  if (!stats?.isFile() || stats.size !== file.size) return false
  // Two names of one file have the same bytes.
  const part = partPath === undefined ? undefined : await stat(partPath)
  if (part?.dev === stats.dev && part.ino === stats.ino) return true
  const stored = await openFile(path)
  try {
    const { md5 } = await copyHashed(stored, { buffer: Buffer.allocUnsafeSlow(COPY_BYTES) })
    return md5 === file.md5
  } finally {
    await stored.close()
  }
}
