import { link, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { openFile } from '../../../shared/blobs/folder-store.ts'
import { type FileIdentity, identityOf, sameIdentity } from '../../../shared/blobs/identity.ts'
import { DiskSpace } from '../../../shared/disk-space.ts'
import { EngineError } from '../../../shared/errors.ts'
import type { Executor } from '../../../shared/executor.ts'
import { type Directory, loadDirectory, saveDirectory } from '../../slicing/directory.ts'
import { findIndex } from '../../slicing/find-index.ts'
import { DIRECTORY_NAME } from '../../slicing/stored.ts'
import { COPY_BYTES, copyHashed } from './copy.ts'
import {
  type ImportBam,
  type ImportContext,
  type ImportedBam,
  mustBeLinkable,
  mustBeSliceableName,
  storeReceived,
} from './import-bam.ts'
import { ImportProgress } from './import-progress.ts'
import { giveUp, receiveFile, unsliceableBy } from './receive.ts'
import { copyFileDurably } from './shelve.ts'

/**
 * A BAM file that was validated without a data folder. One folder has its block directory, its index and, unless
 * it is linked, its bytes.
 */
export interface ProvedBam {
  readonly md5: string
  /** SHA-256 in hex. Absent if an earlier version validated the file. */
  readonly sha256?: string | undefined
  /** Identity of the bytes: of the copy, or of the linked file itself. */
  readonly identity: FileIdentity
  /** File ending of the index. */
  readonly index: 'bai' | 'csi' | null
  readonly records: number
  readonly warnings: readonly string[]
}

interface ProveBam {
  readonly path: string
  /** Whether to link to the file instead of copying its bytes. */
  readonly link: boolean
  /** Existing empty folder for the results. */
  readonly folder: string
}

const bytesPath = (folder: string) => join(folder, 'bytes.bam')
const directoryPath = (folder: string) => join(folder, DIRECTORY_NAME)
const indexPathOf = (folder: string, index: 'bai' | 'csi') => join(folder, `bytes.bam.${index}`)

/**
 * Validates a BAM file as importBam does, without a data folder or database.
 * @returns the problem of the file as text if it cannot be sliced
 * @throws EngineError unavailable, conflict if the file changes meanwhile
 */
export async function proveBamApart(
  what: ProveBam,
  run: { readonly executor: Executor; readonly signal?: AbortSignal | undefined },
): Promise<ProvedBam | string> {
  const space = new DiskSpace(what.folder)
  const incoming = join(what.folder, 'incoming')
  const proved = await space.guard(run.signal, (signal) =>
    proveInto(what, { executor: run.executor, space, incoming, signal }).catch(unsliceableBy),
  )
  // This also removes the copy of a file that cannot be sliced.
  await rm(incoming, { recursive: true, force: true })
  return proved
}

interface ProveRun {
  readonly executor: Executor
  readonly space: DiskSpace
  /** Folder for files in progress. */
  readonly incoming: string
  readonly signal: AbortSignal
}

async function proveInto({ path, link, folder }: ProveBam, run: ProveRun): Promise<ProvedBam> {
  mustBeSliceableName(path)
  const indexPath = await findIndex(path)
  const received = await receiveFile(
    { path, link, proof: 'must', accepts: 'BAM', indexPath },
    { ...run, buffer: Buffer.allocUnsafeSlow(COPY_BYTES) },
  )
  try {
    const { sourcePath, partPath, proof, md5, sha256, workplace } = received
    if (!proof?.directory) throw new TypeError('a BAM file that must be one has a proof')
    if (partPath !== undefined) await rename(partPath, bytesPath(folder))
    const bytes = partPath === undefined ? sourcePath : bytesPath(folder)
    const identity = identityOf(await stat(bytes, { bigint: true }))
    await saveDirectory(directoryPath(folder), proof.directory, identity)
    const index = endingOf(proof.indexPath)
    if (proof.indexPath !== undefined && index) {
      await copyFileDurably(proof.indexPath, indexPathOf(folder, index), run.signal)
    }
    await workplace.finish()
    return {
      md5,
      sha256,
      identity,
      index,
      records: proof.records,
      warnings: proof.warnings,
    }
  } catch (error) {
    await giveUp(received.workplace, error)
    throw error
  } finally {
    await received.workplace.close()
  }
}

function endingOf(indexPath: string | undefined): 'bai' | 'csi' | null {
  if (indexPath === undefined) return null
  return /\.csi$/i.test(indexPath) ? 'csi' : 'bai'
}

/**
 * Stores a BAM file that proveBamApart has validated. Unless `link` is set, its bytes are hard-linked into the
 * data folder if that is on the same disk, and otherwise copied. The folder with the results does not change.
 * @param what like for importBam; `path` is the original file
 * @throws EngineError like importBam; conflict if the bytes are no longer those that were validated
 */
export async function importProvedBam(
  what: ImportBam & { readonly folder: string; readonly proved: ProvedBam },
  context: ImportContext,
): Promise<ImportedBam> {
  const space = new DiskSpace(context.dataFolder, context.reserveBytes)
  return space.guard(context.signal, (signal) => importOne(what, { ...context, signal, space }))
}

async function importOne(
  what: ImportBam & { readonly folder: string; readonly proved: ProvedBam },
  context: ImportContext & { readonly space: DiskSpace },
): Promise<ImportedBam> {
  const { folder, proved, link: isLinked = false } = what
  mustBeLinkable(isLinked, context.blobs)
  const sourcePath = isLinked ? await realpath(what.path) : bytesPath(folder)
  const identity = await identityAt(sourcePath)
  if (identity === undefined || identity.size !== proved.identity.size) throw changed(what.path)
  const { directory, close } = await loadDirectory(directoryPath(folder))
  try {
    return await storeProved({ ...what, sourcePath, identity, directory }, context)
  } finally {
    await close()
  }
}

interface ToStore extends ImportBam {
  readonly folder: string
  readonly proved: ProvedBam
  readonly sourcePath: string
  readonly identity: FileIdentity
  readonly directory: Directory
}

async function storeProved(
  what: ToStore,
  context: ImportContext & { readonly space: DiskSpace },
): Promise<ImportedBam> {
  const { folder, proved, sourcePath, identity, directory, link: isLinked = false } = what
  const incoming = join(context.dataFolder, 'incoming')
  const workplace = await ImportProgress.open(incoming, sourcePath, identity)
  const partPath = isLinked ? undefined : workplace.partPath()
  try {
    // On another machine, or after the folder was copied, times and inodes may differ.
    const isSame = sameIdentity(identity, proved.identity)
    const md5 = await takeBytes({ sourcePath, partPath, isSame }, proved, context)
    if (md5 !== proved.md5) throw changed(what.path)
  } catch (error) {
    await giveUp(workplace, error)
    throw error
  }
  const { index, warnings } = proved
  return storeReceived(
    what,
    {
      sourcePath,
      partPath,
      workplace,
      size: identity.size,
      md5: proved.md5,
      linkedModified: isLinked ? identity.modified : null,
      proof: {
        format: 'BAM',
        records: directory.records,
        directory,
        warnings,
        indexPath: index ? indexPathOf(folder, index) : undefined,
      },
      sha256: proved.sha256,
      unsliceable: undefined,
      genes: undefined,
      unsorted: undefined,
      unread: [],
    },
    context,
  )
}

async function identityAt(path: string): Promise<FileIdentity | undefined> {
  const stats = await stat(path, { bigint: true }).catch(() => undefined)
  return stats?.isFile() ? identityOf(stats) : undefined
}

const changed = (path: string) =>
  new EngineError(
    'conflict',
    `the bytes of "${basename(path)}" are no longer those that were proved; prove it again`,
  )

interface Bytes {
  readonly sourcePath: string
  /** Path for the bytes. Undefined for a linked file. */
  readonly partPath: string | undefined
  /** Whether the identity alone shows that the bytes are those that were validated. */
  readonly isSame: boolean
}

/**
 * Puts the bytes in place. Those of a linked file stay where they are.
 * @returns their MD5, which is the validated one if the identity proves the bytes
 */
async function takeBytes(
  { sourcePath, partPath, isSame }: Bytes,
  proved: ProvedBam,
  { space, signal }: ImportContext & { readonly space: DiskSpace },
): Promise<string> {
  const isInPlace = partPath === undefined || (await hardLink(sourcePath, partPath))
  if (isInPlace && isSame) return proved.md5
  if (!isInPlace) await space.require(proved.identity.size)
  const source = await openFile(sourcePath)
  try {
    const buffer = Buffer.allocUnsafeSlow(COPY_BYTES)
    const copied = await copyHashed(source, {
      buffer,
      signal,
      partPath: isInPlace ? undefined : partPath,
    })
    return copied.md5
  } finally {
    await source.close()
  }
}

/** Error codes for hard links between disks, on file systems that do not support them, or of a file with too many. */
const NO_LINK: readonly unknown[] = ['EXDEV', 'EPERM', 'ENOTSUP', 'ENOSYS', 'EMLINK']

/** Creates a hard link. Returns false if that is impossible. */
async function hardLink(from: string, to: string): Promise<boolean> {
  await rm(to, { force: true })
  try {
    await link(from, to)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && NO_LINK.includes(error.code)) return false
    throw error
  }
}
