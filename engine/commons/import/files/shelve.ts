import { readdir, rm, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { BlobStore } from '../../../shared/blobs/blob.ts'
import { type BlobKey, blobKey } from '../../../shared/blobs/blob-key.ts'
import type { BlobStores } from '../../../shared/blobs/blob-stores.ts'
import { openFile } from '../../../shared/blobs/folder-store.ts'
import type { FileIdentity } from '../../../shared/blobs/identity.ts'
import { IMPORT } from '../../../shared/catalogue/file-owners.ts'
import type { FileCatalogue, StoredFile } from '../../../shared/catalogue/files.ts'
import { eachOf } from '../../../shared/concurrency/each-of.ts'
import { isDiskFull } from '../../../shared/disk-space.ts'
import { EngineError } from '../../../shared/errors.ts'
import type { CheckStore, Verdict } from '../../../shared/integrity/check-store.ts'
import { unlessAbsent } from '../../../shared/unless-absent.ts'
import {
  type GenePaths,
  placeGenes,
  stampGeneDirectory,
} from '../../analysis/single-cell/gene-file.ts'
import { saveDirectory } from '../../slicing/directory.ts'
import { DIRECTORY_NAME, sendCopy } from '../../slicing/stored.ts'
import { COPY_BYTES, copyHashed } from './copy.ts'
import { GENE_NAMES, localNames, objectNames } from './present.ts'
import type { FileProof } from './prove-file.ts'
import type { Received } from './receive.ts'

/** A received file with its catalogue row. */
export interface Shelved {
  readonly received: Received
  readonly file: StoredFile
  /** Whether the same bytes are already in place and remain there. */
  readonly isPlaced?: boolean
}

interface ShelveContext {
  readonly files: FileCatalogue
  readonly blobs: BlobStores
  readonly checks?: CheckStore | undefined
  readonly signal?: AbortSignal | undefined
}

/** Number of concurrent uploads. */
const UPLOADS = 4

/**
 * Moves received files into place and then adds all of them to the catalogue at once, so that files become
 * visible only when everything is on disk. Removes what interrupted imports left in the folders of these files.
 * If the disk is full, nothing remains.
 * @throws EngineError already_exists, before anything is moved, if one of the ids is in use; unavailable if
 *   the storage does not respond
 */
export async function shelve(items: readonly Shelved[], context: ShelveContext): Promise<void> {
  const placed = items.filter(({ isPlaced }) => !isPlaced).map(({ file }) => file)
  await context.files.owners.claim(placed, IMPORT)
  try {
    await putAll(items, context)
  } catch (error) {
    // After other errors, the next attempt uses the files. Files that cannot be removed now are reported by a
    // later check.
    if (isDiskFull(error)) await takeBack(items, context).catch(() => {})
    throw error
  }
}

/**
 * Rejects an id that a project uses for its own file.
 * @throws EngineError already_exists if a project owns it
 */
export function mustBeFree(owner: string | undefined): void {
  if (owner === undefined || owner === IMPORT) return
  const message = `id belongs to a submitted file of project ${owner}; give these bytes another id`
  throw new EngineError('already_exists', message)
}

/** Removes placed files that are not in the catalogue. */
async function takeBack(items: readonly Shelved[], { files, blobs }: ShelveContext): Promise<void> {
  const known = await files.findAll(items.map(({ file }) => file.id))
  for (const { file } of items) {
    if (known.has(file.id)) continue
    // Some files are local even if the bytes are in object storage.
    await blobs.folder.remove(keyOf(file))
    if (file.storage === 'folder') continue
    for (const name of objectNames(file)) {
      await blobs.of(file.storage).remove(blobKey(file.id, name))
    }
  }
}

async function putAll(items: readonly Shelved[], context: ShelveContext): Promise<void> {
  await placeBytes(items, context)
  for (const item of items) {
    const { proof, genes } = item.received
    if (proof) await placeExtras(item, proof, context)
    if (genes) await placeByGene(item, genes, context)
  }
  await eachOf(items, (item) => tidy(item, context.blobs))
  await context.files.addAll(items.map(({ file }) => file))
  await context.checks?.repaired(items.map(({ file }) => file.id))
  await context.checks?.record(items.flatMap(digestOf))
  for (const { received } of items) await received.workplace.finish()
}

/** Returns the result of copying in the form of an integrity check: the bytes are intact and have this SHA-256. */
function digestOf({ file, received: { sha256 } }: Shelved): Verdict[] {
  return sha256 === undefined ? [] : [{ file, sha256 }]
}

const keyOf = ({ id, fileName }: StoredFile) => blobKey(id, fileName)

async function placeBytes(
  items: readonly Shelved[],
  { blobs, signal }: ShelveContext,
): Promise<void> {
  const moves: { readonly key: BlobKey; readonly path: string }[] = []
  const uploads: typeof moves = []
  for (const { received, file, isPlaced } of items) {
    if (isPlaced) continue
    const { partPath: path = await linkTo(received) } = received
    const list = file.storage === 'folder' ? moves : uploads
    list.push({ key: keyOf(file), path })
  }
  await blobs.folder.takeAll(moves)
  const upload = ({ key, path }: (typeof moves)[number]) =>
    blobs.of('s3').take(key, path, { signal })
  await eachOf(uploads, upload, { atOnce: UPLOADS })
}

/** Creates a symbolic link in the workplace, from which it is moved into place. */
async function linkTo({ sourcePath, workplace }: Received): Promise<string> {
  const path = workplace.partPath('link')
  await rm(path, { force: true })
  await symlink(sourcePath, path)
  return path
}

/**
 * Stores the index and the block directory in the data folder, where they are always needed. They are also
 * stored in object storage if it is used, so that all parts of a file are together there.
 */
async function placeExtras(
  { received, file }: Shelved,
  { directory, indexPath }: FileProof,
  { blobs, signal }: ShelveContext,
): Promise<void> {
  const { workplace } = received
  const store = blobs.of(file.storage)
  const extras: { readonly key: BlobKey; readonly path: string }[] = []
  if (directory) {
    const path = workplace.partPath('directory')
    await saveDirectory(path, directory, await identityOf(file, store))
    extras.push({ key: blobKey(file.id, DIRECTORY_NAME), path })
  }
  if (indexPath !== undefined && file.indexName !== null) {
    const path = workplace.partPath('index')
    await copyFileDurably(indexPath, path, signal)
    extras.push({ key: blobKey(file.id, file.indexName), path })
  }
  if (store.kind !== 'folder') {
    for (const { key, path } of extras) await sendCopy(store, key, path, signal)
  }
  await blobs.folder.takeAll(extras)
}

/** Places the values by gene of an HDF5 file, which are stored locally only. */
async function placeByGene(
  { file }: Shelved,
  genes: GenePaths,
  { blobs }: ShelveContext,
): Promise<void> {
  await stampGeneDirectory(genes.directory, await identityOf(file, blobs.of(file.storage)))
  await placeGenes(blobs.folder, file.id, genes)
}

async function identityOf(file: StoredFile, store: BlobStore): Promise<FileIdentity> {
  const identity = await store.identity(keyOf(file))
  if (identity) return identity
  throw new EngineError('unavailable', 'stored bytes are not where they were put')
}

/** Copies a file and syncs the copy to disk. */
export async function copyFileDurably(from: string, to: string, signal: AbortSignal | undefined) {
  const source = await openFile(from)
  try {
    await copyHashed(source, { partPath: to, buffer: Buffer.allocUnsafeSlow(COPY_BYTES), signal })
  } finally {
    await source.close()
  }
}

/** Removes all entries of a file's folder that do not belong to the file. */
async function tidy({ file, received }: Shelved, { folder }: BlobStores): Promise<void> {
  const path = dirname(folder.path(keyOf(file)))
  const belongs = localNames(file)
  for (const name of (await unlessAbsent(readdir(path))) ?? []) {
    const isOld = !received.genes && GENE_NAMES.includes(name)
    if (!belongs.has(name) || isOld) await rm(join(path, name), { recursive: true, force: true })
  }
}
