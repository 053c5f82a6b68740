import { createHash } from 'node:crypto'
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Addresses } from '../../../shared/blobs/address.ts'
import { writeAddress } from '../../../shared/blobs/address-store.ts'
import type { OpenBlob } from '../../../shared/blobs/blob.ts'
import { ObjectBlob } from '../../../shared/blobs/object-blob.ts'
import { PageMemory } from '../../../shared/blobs/page-memory.ts'
import { IMPORT } from '../../../shared/catalogue/file-owners.ts'
import { nameUuid } from '../../../shared/catalogue/uuid.ts'
import { EngineError } from '../../../shared/errors.ts'
import { loadDirectory } from '../../slicing/directory.ts'
import { indexNameOf } from '../../slicing/index-name.ts'
import { makeBlockDirectory } from '../../slicing/make-directory.ts'
import { DIRECTORY_NAME } from '../../slicing/stored.ts'
import { fetchIndex, fileNameOf, type ImportAddress } from './import-address.ts'
import {
  type ImportContext,
  type ImportedBam,
  mustBeLinkable,
  refuseWarnings,
} from './import-bam.ts'
import { droppedIndexes } from './prove-file.ts'
import { mustBeFree } from './shelve.ts'

/**
 * Stores a reference to the BAM file at an address instead of a copy. Its bytes are read twice by ranges: to
 * compute the MD5, and to verify every block and the sort order. The file is then served from the address as
 * long as it does not change.
 * @throws EngineError like importAddress; bad_input for a format other than BAM; already_exists if the id
 *   belongs to other bytes or to a stored copy
 */
export async function referToAddress(
  what: ImportAddress,
  context: ImportContext,
  addresses: Addresses,
): Promise<ImportedBam> {
  const { blobs, dataFolder, signal } = context
  mustBeLinkable(true, blobs)
  if (what.kind !== undefined && what.kind !== 'BAM') {
    const message =
      'only BAM files are served from an address; leave out --link, so that a copy is stored'
    throw new EngineError('bad_input', message, { at: 'link' })
  }
  const fileName = fileNameOf(what.address)
  const { identity, reader } = await addresses.open(what.address, signal)
  const blob = new ObjectBlob(reader, what.address, identity, new PageMemory())
  await mkdir(join(dataFolder, 'incoming'), { recursive: true })
  const workplace = await mkdtemp(join(dataFolder, 'incoming', 'reference-'))
  try {
    const md5 = await md5Of(blob, signal)
    const directory = join(workplace, DIRECTORY_NAME)
    const parts = {
      key: what.address,
      // The reader of the block directory closes the blob that it opens, so it cannot be given `blob`.
      open: async () => new ObjectBlob(reader, what.address, identity, new PageMemory()),
      identity: async () => identity,
      trustMilliseconds: 0,
    }
    const given =
      what.indexPath ?? (await fetchIndex(what, join(workplace, fileName), context, addresses))
    const { kind, bytes, fault } = await makeBlockDirectory(
      { ...parts, indexPath: given },
      directory,
      context.executor,
      { signal },
    )
    const index = join(workplace, `made.${kind}`)
    await writeFile(index, bytes)
    const warnings = droppedIndexes(given, fault)
    return await store(what, { fileName, md5, identity, directory, index, warnings }, context)
  } finally {
    await blob.close()
    await rm(workplace, { recursive: true, force: true })
  }
}

interface Proved {
  readonly fileName: string
  readonly md5: string
  readonly identity: OpenBlob['identity']
  /** Paths of the block directory and the index. */
  readonly directory: string
  readonly index: string
  readonly warnings: readonly string[]
}

async function store(
  what: ImportAddress,
  { fileName, md5, identity, directory, index, warnings }: Proved,
  { files, blobs, checks, clock }: ImportContext,
): Promise<ImportedBam> {
  const { access = 'controlled', project, address } = what
  const id = what.id?.toLowerCase() ?? nameUuid('file', md5, fileName, project ?? '')
  const known = await files.find(id)
  if (known && known.md5 !== md5) {
    const message = `id ${id} belongs to a file with md5 ${known.md5}, this one has ${md5}`
    throw new EngineError('already_exists', message, { at: 'id' })
  }
  if (known && known.linkedModified === null) {
    const message = `file ${id} is stored already, as a copy; it needs no reference`
    throw new EngineError('already_exists', message, { at: 'id' })
  }
  if (what.strict) refuseWarnings(fileName, warnings)
  const { facts, close } = await loadDirectory(directory)
  await close()
  const result = { records: facts.records, known: known !== undefined, warnings }
  const file = {
    id,
    fileName,
    size: identity.size,
    md5,
    dataFormat: 'BAM' as const,
    access,
    acl: project === undefined ? [] : [project],
    partOf: null,
    indexName: indexNameOf(fileName, index),
    storage: 'folder' as const,
    linkedModified: identity.modified,
    createdAt: clock().toISOString(),
  }
  if (what.dryRun) {
    if (!known) mustBeFree((await files.owners.of([id])).get(id))
    return { ...result, file }
  }
  await files.owners.claim([file], IMPORT)
  const folder = dirname(blobs.folder.path({ id, name: fileName }))
  await mkdir(folder, { recursive: true })
  await copyFile(directory, join(folder, DIRECTORY_NAME))
  await copyFile(index, join(folder, file.indexName))
  await writeAddress(blobs.folder, id, { name: fileName, address, identity })
  await files.addAll([file])
  await checks?.repaired([id])
  return { ...result, file: (await files.find(id)) ?? file }
}

async function md5Of(blob: OpenBlob, signal: AbortSignal | undefined): Promise<string> {
  const hash = createHash('md5')
  const buffer = Buffer.allocUnsafeSlow(blob.readBytes)
  for (let at = 0; at < blob.identity.size; ) {
    signal?.throwIfAborted()
    const length = await blob.read(buffer.subarray(0, blob.identity.size - at), at, { signal })
    if (length === 0) break
    hash.update(buffer.subarray(0, length))
    at += length
  }
  return hash.digest('hex')
}
