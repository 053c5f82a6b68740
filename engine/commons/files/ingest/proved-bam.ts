import { link, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { openFile } from '../../../shared/blobs/folder-store.ts'
import { type FileIdentity, identityOf, sameIdentity } from '../../../shared/blobs/identity.ts'
import { DiskSpace } from '../../../shared/disk-space.ts'
import { EngineError } from '../../../shared/errors.ts'
import type { Executor } from '../../../shared/executor.ts'
import { loadDirectory, saveDirectory } from '../../slicing/directory.ts'
import { DIRECTORY_NAME } from '../../slicing/stored.ts'
import { COPY_BYTES, copyHashed } from './copy.ts'
import { findIndex } from './find-index.ts'
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
 * A BAM file that was proved apart from any data folder: its block directory, its index, and its bytes
 * where they are not linked lie in one folder.
 */
export interface ProvedBam {
  readonly md5: string
  /** Hex; absent in what an earlier version proved. */
  readonly sha256?: string | undefined
  /** Of the bytes: the copy, or the file itself where it is linked. */
  readonly identity: FileIdentity
  /** Ending of the index. */
  readonly index: 'bai' | 'csi' | null
  readonly records: number
  readonly warnings: readonly string[]
}

export interface ProveBam {
  readonly path: string
  /** Leave the bytes where they are instead of copying them. */
  readonly link: boolean
  /** Where to put what is made; it is there and empty. */
  readonly folder: string
}

const bytesPath = (folder: string) => join(folder, 'bytes.bam')
const directoryPath = (folder: string) => join(folder, DIRECTORY_NAME)
const indexPathOf = (folder: string, index: 'bai' | 'csi') => join(folder, `bytes.bam.${index}`)

/**
 * Proves a BAM file as importBam does, with no data folder. It needs no database.
 * @returns what is wrong with the file itself, in words, where it cannot be sliced
 * @throws EngineError unavailable, conflict when the file changes meanwhile
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
  // Also what was copied of a file that cannot be sliced.
  await rm(incoming, { recursive: true, force: true })
  return proved
}

interface ProveRun {
  readonly executor: Executor
  readonly space: DiskSpace
  /** Folder for what is under way. */
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
 * Stores a BAM file that was proved apart; its bytes are linked into the data folder where they lie on
 * the same disk, and copied where not. What is in the folder stays.
 * @param what as for importBam; the path is the one that was proved
 * @throws EngineError as importBam; conflict when the bytes are no longer those that were proved
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
  const { directory } = await loadDirectory(directoryPath(folder))
  const incoming = join(context.dataFolder, 'incoming')
  const workplace = await ImportProgress.open(incoming, sourcePath, identity)
  const partPath = isLinked ? undefined : workplace.partPath()
  try {
    // Where the folder is seen by another machine, or was copied, the time or the number may be others.
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
      ...{ sourcePath, partPath, workplace, size: identity.size, md5: proved.md5 },
      linkedModified: isLinked ? identity.modified : null,
      proof: {
        ...{ format: 'BAM', records: directory.records, directory, warnings },
        indexPath: index ? indexPathOf(folder, index) : undefined,
      },
      sha256: proved.sha256,
      ...{ unsliceable: undefined, genes: undefined, unsorted: undefined },
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
  /** Where they are to be, of a file that is not linked. */
  readonly partPath: string | undefined
  /** Whether they are known to be those that were proved, without reading them. */
  readonly isSame: boolean
}

/** @returns their md5 */
async function takeBytes(
  { sourcePath, partPath, isSame }: Bytes,
  proved: ProvedBam,
  { space, signal }: ImportContext & { readonly space: DiskSpace },
): Promise<string> {
  const isLinked = partPath === undefined || (await hardLink(sourcePath, partPath))
  if (isLinked && isSame) return proved.md5
  if (!isLinked) await space.require(proved.identity.size)
  const source = await openFile(sourcePath)
  try {
    const buffer = Buffer.allocUnsafeSlow(COPY_BYTES)
    const copied = await copyHashed(source, {
      ...{ buffer, signal },
      partPath: isLinked ? undefined : partPath,
    })
    return copied.md5
  } finally {
    await source.close()
  }
}

/** Other disks, and file systems without such links. */
const NO_LINK: readonly unknown[] = ['EXDEV', 'EPERM', 'ENOTSUP', 'ENOSYS', 'EMLINK']

/** Whether the file has a second name now, which no copy of bytes is needed for. */
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
