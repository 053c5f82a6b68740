import { randomUUID } from 'node:crypto'
import { copyFile, mkdir, open, rename, rm, stat, utimes } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { BlobStore, OpenBlob } from '../../shared/blobs/blob.ts'
import { type BlobKey, blobKey } from '../../shared/blobs/blob-key.ts'
import type { BlobStores } from '../../shared/blobs/blob-stores.ts'
import type { FolderStore } from '../../shared/blobs/folder-store.ts'
import type { FileIdentity } from '../../shared/blobs/identity.ts'
import type { StoredFile } from '../../shared/catalogue/files.ts'
import { EngineError } from '../../shared/errors.ts'
import { unlessAbsent } from '../../shared/unless-absent.ts'
import { type AlignmentParts, type AlignmentPaths, localAlignment } from './parts.ts'

/** Name of the block directory in a stored file's folder. */
export const DIRECTORY_NAME = 'blocks.directory'

/** Milliseconds for which an object is assumed unchanged. Only tampering with the bucket changes it. */
const OBJECT_TRUST_MILLISECONDS = 30_000

/** Returns the local paths of a stored alignment file's parts, or of their fetched copies. */
export function pathsOf(folder: FolderStore, file: StoredFile): AlignmentPaths {
  const { id, fileName, indexName } = file
  return {
    path: folder.path({ id, name: fileName }),
    directoryPath: folder.path({ id, name: DIRECTORY_NAME }),
    indexPath: indexName === null ? undefined : folder.path({ id, name: indexName }),
  }
}

/**
 * Returns the parts of a stored alignment file. For a file in object storage, the index and block directory are
 * fetched into the data folder on first use, and the file itself is read by ranges.
 * @throws EngineError from the functions of the result: `unavailable` if the file is not in object storage any
 *   more
 */
export function storedAlignment(blobs: BlobStores, file: StoredFile): AlignmentParts {
  const { folder } = blobs
  const paths = pathsOf(folder, file)
  if (file.storage === 'folder') return folderAlignment(blobs, file, paths)
  const { id, fileName, indexName, storage } = file
  const key = blobKey(id, fileName)
  return {
    key: `${storage}:${id}/${fileName}`,
    file,
    open: async () => blobs.of(storage).open(key),
    identity: async () => {
      const identity = await blobs.of(storage).identity(key)
      if (!identity) throw new EngineError('unavailable', 'alignment file is not in object storage')
      return identity
    },
    trustMilliseconds: OBJECT_TRUST_MILLISECONDS,
    indexPath:
      indexName === null
        ? undefined
        : () => fetchWhole(blobs.of(storage), blobKey(id, indexName), folder),
    directoryPath: paths.directoryPath,
    fetchDirectory: async () => {
      const directory = blobKey(id, DIRECTORY_NAME)
      return (await fetchWhole(blobs.of(storage), directory, folder)) !== undefined
    },
  }
}

/** Returns the parts of a file in the data folder, or of a linked file. */
function folderAlignment(
  blobs: BlobStores,
  file: StoredFile,
  paths: AlignmentPaths,
): AlignmentParts {
  const key = blobKey(file.id, file.fileName)
  const store = blobs.of('folder')
  return {
    ...localAlignment(paths),
    file,
    open: () => store.open(key),
    identity: async () => {
      const identity = await store.identity(key)
      if (identity) return identity
      throw new EngineError('unavailable', 'alignment file cannot be opened')
    },
  }
}

/** Copies an object into the data folder. Returns the path of the copy, or undefined if the object does not exist. */
async function fetchWhole(
  store: BlobStore,
  key: BlobKey,
  folder: FolderStore,
): Promise<string | undefined> {
  const path = folder.path(key)
  const stored = await store.identity(key)
  if (!stored) return undefined
  if (await isCopy(path, stored)) return path
  await mkdir(dirname(path), { recursive: true })
  const part = `${path}.${randomUUID()}.part`
  const blob = await store.open(key)
  try {
    await writeCopy(blob, part)
    await rename(part, path)
  } catch (error) {
    await rm(part, { force: true })
    throw error
  } finally {
    await blob.close()
  }
  return path
}

/** Returns whether a local file is a copy of an object: both have the same size and modification time. */
async function isCopy(path: string, { size, modified }: FileIdentity): Promise<boolean> {
  const stats = await unlessAbsent(stat(path))
  return stats?.size === size && stats.mtimeMs === millisecondsOf(modified)
}

/**
 * Uploads a file to object storage. The local file remains and gets the object's modification time, which marks
 * it as a copy.
 */
export async function sendCopy(
  store: BlobStore,
  key: BlobKey,
  path: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const second = `${path}.sent`
  await copyFile(path, second)
  await store.take(key, second, { signal })
  const sent = await store.identity(key)
  const seconds = millisecondsOf(sent?.modified ?? '0') / 1000
  await utimes(path, seconds, seconds)
}

async function writeCopy(blob: OpenBlob, path: string): Promise<void> {
  const { size, modified } = blob.identity
  const buffer = Buffer.allocUnsafeSlow(Math.min(size, blob.readBytes))
  const file = await open(path, 'w')
  try {
    for (let at = 0; at < size; ) {
      const bytes = buffer.subarray(0, await blob.read(buffer.subarray(0, size - at), at))
      await file.writeFile(bytes)
      at += bytes.length
    }
    const seconds = millisecondsOf(modified) / 1000
    await file.utimes(seconds, seconds)
    await file.sync()
  } finally {
    await file.close()
  }
}

function millisecondsOf(nanoseconds: string): number {
  return Number(BigInt(nanoseconds) / 1_000_000n)
}
