import { createHash } from 'node:crypto'
import { opendir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import type { OpenBlob } from '../../shared/blobs/blob.ts'
import { blobKey } from '../../shared/blobs/blob-key.ts'
import type { BlobStores } from '../../shared/blobs/blob-stores.ts'
import type { FileCatalogue, StoredFile } from '../../shared/catalogue/files.ts'
import { EngineError } from '../../shared/errors.ts'
import type { Executor } from '../../shared/executor.ts'
import type { CheckStore } from '../../shared/integrity/check-store.ts'
import type { Issue } from '../../shared/issue.ts'
import { unlessAbsent } from '../../shared/unless-absent.ts'
import { checkGenes } from '../analysis/single-cell/check-genes.ts'
import { genePaths } from '../analysis/single-cell/gene-file.ts'
import { storedCraiFault } from '../containers/prove-containers.ts'
import type { DescribedFile } from '../files/records/described-files.ts'
import type { FileFacts } from '../files/records/file-record.ts'
import { localNames, objectNames } from '../import/files/present.ts'
import { ReleaseRecords } from '../import/files/records.ts'
import type { Releases } from '../release/releases.ts'
import { type Alignment, indexPathOf, openAlignment, readIndex } from '../slicing/alignment.ts'
import { lineDisagreements } from '../slicing/decode/second-line-reader.ts'
import { disagreements as recordDisagreements } from '../slicing/decode/second-reader.ts'
import type { Directory } from '../slicing/directory.ts'
import { storedIndexFault } from '../slicing/file-index.ts'
import { hasBroughtCrai } from '../slicing/make-crai.ts'
import { storedAlignment } from '../slicing/stored.ts'

export interface CheckContext {
  readonly files: FileCatalogue
  readonly blobs: BlobStores
  readonly checks: CheckStore
  /** Folder with the folders of files. */
  readonly filesFolder: string
  readonly releases: Releases
  readonly executor: Executor
  /** Whether to read all bytes of stored files. If false, only earlier findings are reported. */
  readonly isDeep?: boolean | undefined
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((bytes: number) => void) | undefined
}

/** Number of bytes per read. */
const READ_BYTES = 4 << 20
/** Files looked up in the release together. */
const PAGE_FILES = 256

/**
 * Verifies every stored file: its bytes exist, have the recorded size, were not found damaged, and match the
 * record in the served release. If a file can be sliced, its block directory must be current and its index must
 * belong to it. The copy of a single-cell file that is sorted by gene must also be current. A deep check also
 * reads all bytes. It compares the MD5, compares blocks with the ledger, and counts the records or lines of each
 * reference with two independent readers. Also reports stored files without an owner, and notes files that are
 * open only because their import said so.
 */
export async function* checkFiles(context: CheckContext): AsyncGenerator<Issue> {
  const { releases } = context
  // A release that cannot be opened is reported separately.
  const records = await ReleaseRecords.open(releases).catch(() => undefined)
  const buffer = Buffer.allocUnsafeSlow(READ_BYTES)
  try {
    for await (const page of pagesOf(context.files.each())) {
      const ids = page.flatMap(({ id, partOf }) => (partOf === null ? [id] : [id, partOf]))
      const described = await records?.describe(ids).catch(nothingOfDamaged)
      for (const file of page) {
        const recorded = described?.get(file.id)?.facts
        for (const problem of disagreements(file, recorded)) yield { subject: file.id, problem }
        if (described && isOpenUnspoken(file, described)) yield openUnspoken(file)
        for await (const problem of checkFile(file, buffer, context)) {
          yield { subject: file.id, problem }
        }
      }
    }
  } finally {
    await records?.close()
  }
  if (!context.isDeep) yield* foundDamaged(context)
  yield* strayFiles(context)
  yield* strayObjects(context)
}

/** Reports damage found by downloads, the scrub and deep checks that has not been repaired. */
async function* foundDamaged({ checks }: CheckContext): AsyncGenerator<Issue> {
  for (const { id, problem, checkedAt } of await checks.damaged()) {
    yield { subject: id, problem: `damaged when it was read at ${checkedAt}: ${problem}` }
  }
}

async function* pagesOf<T>(items: AsyncIterable<T>): AsyncGenerator<readonly T[]> {
  let page: T[] = []
  for await (const item of items) {
    page.push(item)
    if (page.length < PAGE_FILES) continue
    yield page
    page = []
  }
  if (page.length > 0) yield page
}

/** Ignores damaged records, which are reported elsewhere. The bytes are then verified without their record. */
function nothingOfDamaged(error: unknown): undefined {
  if (!(error instanceof EngineError)) throw error
}

function* disagreements(file: StoredFile, recorded: FileFacts | undefined): Generator<string> {
  if (recorded?.md5 !== undefined && recorded.md5 !== file.md5) {
    yield `the release says md5 ${recorded.md5}; ${file.md5} is stored`
  }
  if (recorded?.size !== undefined && recorded.size !== file.size) {
    yield `the release says ${recorded.size} bytes; ${file.size} are stored`
  }
}

/** Returns whether a file is open although no record says so, neither its own nor that of its owner. */
function isOpenUnspoken(
  { id, access, partOf }: StoredFile,
  described: ReadonlyMap<string, DescribedFile>,
): boolean {
  if (access !== 'open' || described.has(id)) return false
  return partOf === null || !described.has(partOf)
}

/** Creates a note, not an error: the file may be meant to be open. */
const openUnspoken = ({ id }: StoredFile): Issue => ({
  subject: id,
  problem: 'is open, and no record of the release speaks of it: what was said at import holds',
  isNote: true,
})

async function* checkFile(
  file: StoredFile,
  buffer: Buffer,
  context: CheckContext,
): AsyncGenerator<string> {
  const { blobs } = context
  let blob: OpenBlob
  try {
    blob = await blobs.of(file.storage).open(blobKey(file.id, file.fileName))
  } catch (error) {
    yield messageOf(error, context.signal)
    return
  }
  let alignment: Alignment | undefined
  try {
    const { size, modified } = blob.identity
    if (size !== file.size) yield `file has ${size} bytes; ${file.size} are on record`
    if (file.linkedModified !== null && file.linkedModified !== modified) {
      yield 'the file that is linked changed after it was stored'
    }
    const isCut = file.dataFormat !== null && file.dataFormat !== 'CRAM'
    alignment = isCut ? yield* openedOf(file, context) : undefined
    if (alignment) yield* checkAlignment(alignment, file, context)
    if (file.dataFormat === 'CRAM') yield* checkCrai(file, blob, context)
    if (file.dataFormat === null) {
      yield* checkGenes(genePaths(blobs.folder, file.id), blob.identity, context.signal)
    }
    if (!context.isDeep) return
    const isSound = yield* checkBytes(blob, {
      file,
      directory: alignment?.directory,
      buffer,
      ...context,
    })
    await alignment?.close()
    // The header is freed before the second reader loads its own.
    alignment = undefined
    // Damaged bytes need no second reader.
    const twoReaders = isSound ? secondReaderOf(file) : undefined
    if (twoReaders)
      yield* twoReaders(storedAlignment(blobs, file), context.executor, context.signal)
  } catch (error) {
    yield messageOf(error, context.signal)
  } finally {
    await alignment?.close()
    await blob.close()
  }
}

/** Returns the second reader for a format. There is none for BCF, and only some slices of a CRAM file are decoded. */
function secondReaderOf({ dataFormat }: StoredFile): typeof recordDisagreements | undefined {
  if (dataFormat === 'BAM') return recordDisagreements
  const isLines = dataFormat === 'VCF' || dataFormat === 'BED' || dataFormat === 'GFF'
  return isLines ? lineDisagreements : undefined
}

/** Opens a file if it can be sliced. The caller closes it. */
async function* openedOf(
  file: StoredFile,
  { blobs, executor, signal }: CheckContext,
): AsyncGenerator<string, Alignment | undefined> {
  try {
    return await openAlignment(storedAlignment(blobs, file), executor)
  } catch (error) {
    yield messageOf(error, signal)
    return undefined
  }
}

/** Verifies the files that accompany a sliceable file. */
async function* checkAlignment(
  alignment: Alignment,
  file: StoredFile,
  { executor, signal }: CheckContext,
): AsyncGenerator<string> {
  try {
    const { directory, warnings, complete } = alignment
    yield* warnings
    if (!complete) yield 'file has no end marker'
    if (!directory && warnings.length === 0) yield 'block directory is missing'
    if (file.indexName === null) return
    await readIndex(alignment, executor)
    const fault = await storedIndexFault(alignment, executor)
    if (fault !== undefined)
      yield `index ${JSON.stringify(file.indexName)} is not that of the file: ${fault}; ${newIndex(directory?.runRecords !== undefined)}`
  } catch (error) {
    yield messageOf(error, signal)
  }
}

/** Verifies the index of a CRAM file. In object storage, only a deep check verifies the whole index. */
async function* checkCrai(
  file: StoredFile,
  blob: OpenBlob,
  { blobs, executor, signal, isDeep = false }: CheckContext,
): AsyncGenerator<string> {
  const indexPath = await indexPathOf(storedAlignment(blobs, file))
  const fault =
    indexPath === undefined
      ? 'it is not where it was put'
      : await storedCraiFault(blob, indexPath, { executor, signal, isDeep })
  if (fault === undefined) return
  const isBrought = await hasBroughtCrai(file, blobs)
  yield `index ${JSON.stringify(file.indexName)} is not that of the file: ${fault}; ${newIndex(!isBrought)}`
}

/** Returns the advice for a missing index. After its start, the service builds those of earlier versions. */
const newIndex = (isMade: boolean) =>
  isMade
    ? 'import the file again'
    : 'import the file again, or start the service, which makes one anew'

interface BytesCheck extends Pick<CheckContext, 'checks' | 'signal' | 'onProgress'> {
  readonly file: StoredFile
  readonly directory: Directory | undefined
  readonly buffer: Buffer
}

async function* checkBytes(
  blob: OpenBlob,
  { file, directory, buffer, checks, signal, onProgress }: BytesCheck,
): AsyncGenerator<string, boolean> {
  const hash = createHash('md5')
  const ledger = directory ? new LedgerCheck(directory) : undefined
  for (let at = 0; at < blob.identity.size; ) {
    signal?.throwIfAborted()
    const target = buffer.subarray(0, blob.identity.size - at)
    const length = await blob.read(target, at, { signal })
    if (length === 0) break
    const bytes = buffer.subarray(0, length)
    hash.update(bytes)
    ledger?.add(bytes, at)
    at += length
    onProgress?.(length)
  }
  if (ledger && ledger.firstBad >= 0) {
    yield `block at byte ${ledger.firstBad} differs from the ledger (${ledger.badBlocks} such blocks)`
  }
  const md5 = hash.digest('hex')
  if (md5 === file.md5) {
    await checks.repaired([file.id])
    return true
  }
  const problem = `md5 is ${md5}; ${file.md5} is on record`
  yield problem
  await checks.record([{ file, problem }])
  return false
}

/** Reports entries in the files folder that belong to no file. */
async function* strayFiles({ files, filesFolder }: CheckContext): AsyncGenerator<Issue> {
  const folders = await unlessAbsent(opendir(filesFolder))
  if (!folders) return
  for await (const page of pagesOf(folders)) {
    const known = await files.findAll(page.map(({ name }) => name))
    for (const { name } of page) yield* strayIn(name, known.get(name), filesFolder)
  }
}

async function* strayIn(
  name: string,
  file: StoredFile | undefined,
  filesFolder: string,
): AsyncGenerator<Issue> {
  if (!file) {
    yield { subject: join('files', name), problem: 'folder belongs to no file of the catalogue' }
    return
  }
  const names = localNames(file)
  for (const inner of (await unlessAbsent(readdir(join(filesFolder, name)))) ?? []) {
    if (names.has(inner)) continue
    const subject = join('files', name, inner)
    yield { subject, problem: 'belongs to no file of the catalogue' }
  }
}

async function* strayObjects({ files, blobs }: CheckContext): AsyncGenerator<Issue> {
  if (blobs.writing.kind === 'folder') return
  for await (const page of pagesOf(blobs.writing.keys())) {
    const known = await files.findAll(page.map(({ id }) => id))
    for (const { id, name } of page) {
      const file = known.get(id)
      if (file && objectNames(file).has(name)) continue
      yield { subject: join(id, name), problem: 'object belongs to no file of the catalogue' }
    }
  }
}

/** Compares blocks with the ledger while the file is read. */
class LedgerCheck {
  readonly #directory: Directory
  #row = 0
  #checksum = 0
  firstBad = -1
  badBlocks = 0

  constructor(directory: Directory) {
    this.#directory = directory
  }

  /**
   * Adds bytes. They must follow the bytes of the previous call.
   * @param position file offset of the bytes
   */
  add(bytes: Buffer, position: number): void {
    const { blockOffset, blockLength, checksum } = this.#directory
    const limit = position + bytes.length
    while (this.#row < blockLength.length) {
      const start = blockOffset.at(this.#row) ?? 0
      const end = start + (blockLength.at(this.#row) ?? 0)
      if (start >= limit) return
      const part = bytes.subarray(Math.max(start - position, 0), end - position)
      this.#checksum = crc32(part, this.#checksum)
      if (end > limit) return
      if (this.#checksum !== checksum.at(this.#row)) {
        if (this.firstBad < 0) this.firstBad = start
        this.badBlocks++
      }
      this.#checksum = 0
      this.#row++
    }
  }
}

/** Returns the message of an error that ends the check of a single file, so that others are still checked. */
function messageOf(error: unknown, signal: AbortSignal | undefined): string {
  signal?.throwIfAborted()
  return error instanceof EngineError ? error.message : `cannot be read to its end: ${error}`
}
