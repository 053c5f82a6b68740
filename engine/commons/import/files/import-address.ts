import { createHash } from 'node:crypto'
import { mkdir, open, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Addresses } from '../../../shared/blobs/address.ts'
import { BlobFilehandle } from '../../../shared/blobs/blob-filehandle.ts'
import { checkName } from '../../../shared/blobs/blob-key.ts'
import { ObjectBlob } from '../../../shared/blobs/object-blob.ts'
import { PageMemory } from '../../../shared/blobs/page-memory.ts'
import { DiskSpace } from '../../../shared/disk-space.ts'
import { EngineError } from '../../../shared/errors.ts'
import { unlessAbsent } from '../../../shared/unless-absent.ts'
import {
  type ImportBam,
  type ImportContext,
  type ImportedBam,
  importBam,
  mustBeSliceableName,
} from './import-bam.ts'
import type { ImportedKind } from './prove-file.ts'

export interface ImportAddress extends Omit<ImportBam, 'path'> {
  /** Address of the file, such as `https://host/path/name.bam`. */
  readonly address: string
}

/** Number of bytes per request. They are written to disk before the next request. */
const WINDOW_BYTES = 8 << 20
/** Suffixes that are appended to a file's address to find its index. */
const INDEX_ENDINGS: Readonly<Record<ImportedKind, readonly string[]>> = {
  BAM: ['.bai', '.csi'],
  variants: ['.tbi', '.csi'],
  CRAM: ['.crai'],
}

/**
 * Downloads the file at an address by ranges, as long as the file does not change, and stores it as importBam
 * does. After an interruption, another call resumes.
 * @throws EngineError like importBam; bad_input for an address that is not allowed; not_found; no_index if a
 *   required index is missing; unavailable, also if the file changes during the download
 */
export async function importAddress(
  what: ImportAddress,
  context: ImportContext,
  addresses: Addresses,
): Promise<ImportedBam> {
  const { address, ...given } = what
  const fileName = fileNameOf(address)
  const { signal, dataFolder } = context
  const { identity, reader } = await addresses.open(address, signal)
  const mark = JSON.stringify([address, identity.size, identity.modified, identity.inode])
  const digest = createHash('sha256').update(mark).digest('hex').slice(0, 32)
  const folder = join(dataFolder, 'incoming', `address-${digest}`)
  await mkdir(folder, { recursive: true })
  const path = join(folder, fileName)
  const blob = new ObjectBlob(reader, address, identity, new PageMemory())
  try {
    // The index is fetched first. If a required index is missing, nothing else is fetched.
    const indexPath = what.indexPath ?? (await fetchIndex(what, path, context, addresses))
    const space = new DiskSpace(dataFolder, context.reserveBytes)
    await space.guard(signal, (stop) => copyByRanges(new BlobFilehandle(blob), path, stop))
    const imported = await importBam({ ...given, path, indexPath }, context)
    await rm(folder, { recursive: true, force: true })
    return imported
  } finally {
    await blob.close()
  }
}

/**
 * Returns the name to store the file under: the last part of the address's path.
 * @throws EngineError bad_input for a malformed or reserved name
 */
export function fileNameOf(address: string): string {
  const { pathname } = new URL(address)
  let name = pathname.slice(pathname.lastIndexOf('/') + 1)
  try {
    name = decodeURIComponent(name)
  } catch {
    throw new EngineError('bad_input', 'the name at the end of the address is malformed')
  }
  checkName(name, 'address')
  mustBeSliceableName(name)
  return name
}

async function copyByRanges(
  source: BlobFilehandle,
  path: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { size } = await source.stat()
  // The folder's name includes the file's identity, so earlier bytes belong to the same file.
  let at = (await unlessAbsent(stat(path)))?.size ?? 0
  const file = await open(path, 'a')
  try {
    while (at < size) {
      const bytes = await source.read(
        Math.min(WINDOW_BYTES, size - at),
        at,
        signal ? { signal } : {},
      )
      await file.appendFile(bytes)
      at += bytes.length
    }
    await file.sync()
  } finally {
    await file.close()
  }
}

/**
 * Fetches the index at its usual address, if it exists. If the address has a query, no index is looked for.
 * @throws EngineError no_index if a required index is missing; unavailable
 */
export async function fetchIndex(
  what: Pick<ImportAddress, 'address' | 'kind'>,
  path: string,
  context: ImportContext,
  addresses: Addresses,
): Promise<string | undefined> {
  const { address, kind = 'BAM' } = what
  const endings = INDEX_ENDINGS[kind]
  const found = await findAndFetch({ address, endings, path }, context, addresses)
  // Line-based formats require an index, because it says which columns have the positions.
  if (found !== undefined || kind !== 'variants') return found
  const message = `no index is at the address with ${endings.join(' or ')} behind it; give it as a file by --index`
  throw new EngineError('no_index', message)
}

interface SoughtIndex {
  readonly address: string
  readonly endings: readonly string[]
  /** Path of the file. */
  readonly path: string
}

async function findAndFetch(
  { address, endings, path }: SoughtIndex,
  { signal }: ImportContext,
  addresses: Addresses,
): Promise<string | undefined> {
  if (new URL(address).search !== '') return undefined
  for (const ending of endings) {
    const found = await addresses.open(address + ending, signal).catch((error: unknown) => {
      if (error instanceof EngineError && error.code === 'not_found') return undefined
      throw error
    })
    if (!found) continue
    const { reader, identity } = found
    const blob = new ObjectBlob(reader, address + ending, identity, new PageMemory())
    try {
      await writeFile(path + ending, await new BlobFilehandle(blob).readFile({ signal }))
      return path + ending
    } finally {
      await blob.close()
    }
  }
  return undefined
}
