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
import { findIndex } from '../../slicing/find-index.ts'
import { indexNameOf, isSliceableName } from '../../slicing/index-name.ts'
import { COPY_BYTES, copyHashed } from './copy.ts'
import type { ImportedKind } from './prove-file.ts'
import { giveUp, type Received, receiveFile } from './receive.ts'
import { isForNobody, type Rights } from './rights.ts'
import { mustBeFree, shelve } from './shelve.ts'

export interface ImportBam {
  readonly path: string
  /** Kind that the file must have. By default BAM. */
  readonly kind?: ImportedKind | undefined
  /** Id under which to store the file. By default derived from its MD5, name and project. */
  readonly id?: string | undefined
  /** Path of the file's index (BAI, TBI, CSI or CRAI). By default the index beside the file under a usual name. */
  readonly indexPath?: string | undefined
  /**
   * Access if the release has no record of the file. By default, members of `project` may read it, or only
   * administrators if no project is given. A file that is already stored keeps its rights.
   */
  readonly access?: 'open' | 'controlled' | undefined
  readonly project?: string | undefined
  /** Whether to link to the file instead of copying it. */
  readonly link?: boolean
  /** Verifies the file without storing it. */
  readonly dryRun?: boolean | undefined
  /** Refuses a file with warnings. */
  readonly strict?: boolean | undefined
}

export interface ImportContext {
  readonly dataFolder: string
  readonly files: FileCatalogue
  readonly blobs: BlobStores
  readonly executor: Executor
  readonly clock: () => Date
  /** Store of the files that were found damaged. */
  readonly checks?: CheckStore | undefined
  /** Bytes to keep free on the disk of the data folder. */
  readonly reserveBytes?: number | undefined
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((bytes: number, total: number) => void) | undefined
}

export interface ImportedBam {
  readonly file: StoredFile
  readonly records: number
  /** Whether the same bytes were already stored under this id. */
  readonly known: boolean
  readonly warnings: readonly string[]
}

/**
 * Stores a BAM or CRAM file, or a file of variants or features. In one pass, it verifies every block and the
 * sort order, builds the block directory, and copies and hashes the bytes. After an interruption, another call
 * for the same file resumes. The file becomes visible only when all of its parts are in place.
 * @throws EngineError bad_input for another format, an unsorted file, an invalid id, a link with object
 *   storage, or warnings with `strict`; not_found; corrupt_source; already_exists; conflict; unavailable if the
 *   disk is full, in which case nothing is kept
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
  const { path, link = false, dryRun = false } = what
  mustBeLinkable(link, blobs)
  mustBeSliceableName(path)
  const indexPath = what.indexPath ?? (await findIndex(path))
  const absence = what.indexPath === undefined ? undefined : await explainAbsence(what.indexPath)
  if (absence) throw absence
  // The size is used only to show progress. Problems of the file are reported when it is opened.
  const { size: total } = await lstat(path).catch(() => ({ size: 0 }))
  const received = await receiveFile(
    // A dry run reads the file in the same way as for a link, so that it needs no disk space.
    { path, link: link || dryRun, proof: 'must', accepts: what.kind ?? 'BAM', indexPath },
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
 * Stores a file that was received, and cleans up its workplace.
 * @throws EngineError as importBam, among them `already_exists` if the id belongs to a file with other bytes
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
    const { records = 0, warnings = [] } = received.proof ?? {}
    if (what.strict) refuseWarnings(file.fileName, warnings)
    const result = { records, known: known !== undefined }
    const told = [...warnings, ...(isForNobody(file) ? [FOR_NOBODY] : [])]
    if (what.dryRun) {
      if (!known) mustBeFree((await files.owners.of([file.id])).get(file.id))
      await received.workplace.finish()
      return { ...result, file, warnings: told }
    }
    // Equal bytes that are being served are left alone.
    const isPlaced =
      !what.link &&
      known !== undefined &&
      (await isCopy(known, file, { blobs, partPath: received.partPath }))
    await shelve([{ received, file, isPlaced }], { files, blobs, checks, signal })
    return { ...result, file: (await files.find(file.id)) ?? file, warnings: told }
  } catch (error) {
    await giveUp(received.workplace, error)
    throw error
  } finally {
    await received.workplace.close()
  }
}

/**
 * Rejects a file with warnings.
 * @throws EngineError bad_input if there are any
 */
export function refuseWarnings(fileName: string, warnings: readonly string[]): void {
  if (warnings.length === 0) return
  const message = `"${fileName}" is not stored because of its warnings: ${warnings.join('; ')}`
  throw new EngineError('bad_input', message)
}

/**
 * Rejects a file name that is reserved in a sliceable file's folder.
 * @throws EngineError bad_input if it is
 */
export function mustBeSliceableName(path: string): void {
  if (isSliceableName(basename(path))) return
  const message = `a file called "${basename(path)}" cannot be sliced; rename it`
  throw new EngineError('bad_input', message)
}

/**
 * Rejects links if object storage is in use.
 * @throws EngineError bad_input
 */
export function mustBeLinkable(link: boolean, { writing }: BlobStores): void {
  if (!link || writing.kind === 'folder') return
  throw new EngineError(
    'bad_input',
    'files cannot be linked where object storage is used; leave out --link',
    { at: 'link' },
  )
}

/** Warning that only administrators may read the file. */
const FOR_NOBODY =
  'it is controlled and no project is named: unless a record of the release says who may read it, only administrators may; say --project ID, or --access open'

/** Returns the rights from an earlier import, if this import gives none. */
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
    linkedModified: link ? linkedModified : null,
    createdAt: context.clock().toISOString(),
  }
}

/**
 * Returns whether the stored bytes are a copy of the file. A link to a file outside does not count, because
 * that may change at any time.
 */
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
  // Two hard links to the same file have the same bytes.
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
