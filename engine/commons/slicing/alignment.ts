import { stat } from 'node:fs/promises'
import type { OpenBlob } from '../../shared/blobs/blob.ts'
import { type FileIdentity, sameIdentity } from '../../shared/blobs/identity.ts'
import { damage } from '../../shared/blobs/source.ts'
import type { SliceableFormat } from '../../shared/catalogue/files.ts'
import { descriptorShortage } from '../../shared/descriptors.ts'
import { EngineError } from '../../shared/errors.ts'
import type { Executor } from '../../shared/executor.ts'
import { type BinIndex, indexBuffers } from '../../shared/formats/bam-index.ts'
import { END_MARKER } from '../../shared/formats/bgzf.ts'
import { FormatError } from '../../shared/formats/format-error.ts'
import { unlessAbsent } from '../../shared/unless-absent.ts'
import { type Directory, directoryMemory, loadDirectory } from './directory.ts'
import { type AlignmentHeader, headerJob } from './header.ts'
import { indexJob } from './index-file.ts'
import { Ledger } from './ledger.ts'
import { lineHeaderJob } from './line-header.ts'
import type { AlignmentParts } from './parts.ts'

/**
 * An open file of sorted records: BAM, BCF, or lines with a tabix index. Valid as long as the file's identity
 * stays the same.
 */
export interface Alignment {
  readonly parts: AlignmentParts
  readonly identity: FileIdentity
  readonly blob: OpenBlob
  readonly header: AlignmentHeader
  /** Reference numbers by name. */
  readonly numberOf: ReadonlyMap<string, number>
  readonly directory: Directory | undefined
  readonly ledger: Ledger
  /** Whether the file has the end marker of a complete file. */
  readonly complete: boolean
  /** Problems that do not prevent serving the file. */
  readonly warnings: readonly string[]
  /** Approximate memory that the opened file takes, in bytes. */
  readonly memory: number
  /** Closes the file and its block directory. Afterwards, neither may be used. Repeated calls do nothing. */
  close(): Promise<void>
}

/**
 * Opens a file of sorted records, with its header and, if there is a current one, its block directory. The sort
 * order that the header states is ignored: a block directory proves the order, and otherwise the index is
 * trusted (AlignmentCache).
 * @throws EngineError unavailable if it cannot be opened, corrupt_source if it is damaged
 */
export async function openAlignment(parts: AlignmentParts, executor: Executor): Promise<Alignment> {
  const blob = await parts.open()
  let opened: OpenDirectory | undefined
  try {
    const { identity } = blob
    const header = await readHeader(parts, blob, executor)
    const warnings: string[] = []
    opened = await directoryOf(parts, identity, header, warnings)
    const directory = opened?.directory
    const close = async () => {
      await opened?.close()
      await blob.close()
    }
    // The index of a file outside the data folder is checked by itself.
    if (parts.file && typeof parts.indexPath === 'string') {
      await warnOfOldIndex(parts.indexPath, identity, warnings)
    }
    return {
      parts,
      identity,
      blob,
      header,
      numberOf: numbersOf(header.names),
      directory,
      ledger: new Ledger(),
      complete: await endsWithMarker(blob),
      warnings,
      memory: memoryOf(header, directory),
      close,
    }
  } catch (error) {
    await opened?.close()
    await blob.close()
    throw error
  }
}

type OpenDirectory = Pick<Awaited<ReturnType<typeof loadDirectory>>, 'directory' | 'close'>

/** Marks errors (in `at`) about files that are neither BAM nor BCF and have no index for lines. */
export const NO_LINES = 'lines'

/** Maps the names of references to their numbers. There may be millions of names, so no array of pairs is made. */
function numbersOf(names: readonly string[]): ReadonlyMap<string, number> {
  const numbers = new Map<string, number>()
  for (const [number, name] of names.entries()) numbers.set(name, number)
  return numbers
}

/** Reads the header. The index of a line-based file tells which columns hold the positions, so it is required. */
async function readHeader(
  parts: AlignmentParts,
  blob: OpenBlob,
  executor: Executor,
): Promise<AlignmentHeader> {
  const header = await blob.run(executor, headerJob, {})
  if (header) return header
  const path = await indexPathOf(parts)
  const index = path === undefined ? undefined : await parseIndexAt(path, executor).catch(unusable)
  if (!index?.lines) {
    const message =
      'file is neither BAM nor BCF, and no index describes its lines; index it by tabix'
    const { message: what } = damage('header', 0)
    throw new EngineError('corrupt_source', what, { cause: new FormatError(message), at: NO_LINES })
  }
  return blob.run(executor, lineHeaderJob, { lines: index.lines })
}

/**
 * Ignores an unusable index, so that problems of the file itself are reported first.
 * @throws any error that is not about the index
 */
function unusable(error: unknown): undefined {
  if (error instanceof EngineError && error.code === 'no_index') return undefined
  throw error
}

/**
 * Checks the format of a file.
 * @throws EngineError bad_input if it is another one
 */
export function mustBe({ header }: Alignment, formats: readonly SliceableFormat[]): void {
  const { fileFormat } = header
  if (formats.includes(fileFormat)) return
  const wanted = formats.join(', ')
  throw new EngineError('bad_input', `file is ${fileFormat}; give a file of the format ${wanted}`)
}

/** Returns the block directory on this machine or, without one, the one in object storage. */
async function directoryOf(
  { directoryPath, fetchDirectory, pagedBytes }: AlignmentParts,
  identity: FileIdentity,
  header: AlignmentHeader,
  warnings: string[],
): Promise<OpenDirectory | undefined> {
  if (!directoryPath) return undefined
  const place = { path: directoryPath, pagedBytes }
  if (!fetchDirectory) return currentDirectory(place, identity, header, warnings)
  const here = await currentDirectory(place, identity, header, [])
  if (here) return here
  try {
    await fetchDirectory()
  } catch (error) {
    if (!(error instanceof EngineError)) throw error
    warnings.push(`the block directory cannot be fetched: ${error.message}`)
  }
  return currentDirectory(place, identity, header, warnings)
}

interface DirectoryPlace {
  readonly path: string
  readonly pagedBytes: number | undefined
}

async function currentDirectory(
  { path, pagedBytes }: DirectoryPlace,
  identity: FileIdentity,
  header: AlignmentHeader,
  warnings: string[],
): Promise<OpenDirectory | undefined> {
  try {
    const loaded = await unlessAbsent(loadDirectory(path, pagedBytes))
    if (!loaded) return undefined
    const { directory, facts, close } = loaded
    if (!sameIdentity(facts, identity)) {
      warnings.push('the file changed after its block directory was made')
    } else if (directory.referenceRun.length !== header.names.length + 2) {
      warnings.push('the block directory does not fit the file')
    } else {
      return loaded
    }
    await close()
  } catch (error) {
    if (descriptorShortage(error) || !(error instanceof EngineError)) throw error
    warnings.push(error.message)
  }
  return undefined
}

async function warnOfOldIndex(path: string, identity: FileIdentity, warnings: string[]) {
  const index = await unlessAbsent(stat(path, { bigint: true }))
  if (index && index.mtimeNs < BigInt(identity.modified)) {
    warnings.push('the index is older than its file')
  }
}

async function endsWithMarker(blob: OpenBlob): Promise<boolean> {
  const { size } = blob.identity
  const length = END_MARKER.length
  if (size < length) return false
  const end = Buffer.alloc(length)
  await blob.read(end, size - length)
  return end.equals(END_MARKER)
}

/** Bytes of a reference in memory: its name, and its number by name. */
const REFERENCE_BYTES = 100

function memoryOf({ packed, names }: AlignmentHeader, directory: Directory | undefined): number {
  const kept = directory ? directoryMemory(directory) : 0
  return packed.length + REFERENCE_BYTES * names.length + kept
}

/**
 * Reads the file's index.
 * @throws EngineError no_index if there is none or it does not belong to the file
 */
export async function readIndex(alignment: Alignment, executor: Executor): Promise<BinIndex> {
  const { parts, header, identity } = alignment
  const path = await indexPathOf(parts)
  const what = header.fileFormat
  if (!path) throw new EngineError('no_index', `no index can be found for the ${what} file`)
  const index = await parseIndexAt(path, executor)
  const beyond = index.chunks.some((offset) => Number(offset >> 16n) > identity.size)
  if (beyond || !fits(index, header)) {
    throw new EngineError('no_index', `index does not belong to the ${what} file; index it again`)
  }
  return index
}

/**
 * Returns the index given with a file, whether or not it belongs to the file.
 * @throws EngineError no_index if it cannot be read
 */
export async function givenIndex(
  { parts }: Alignment,
  executor: Executor,
): Promise<BinIndex | undefined> {
  const path = await indexPathOf(parts)
  return path === undefined ? undefined : parseIndexAt(path, executor)
}

/**
 * Returns whether an index may belong to the file. Like htslib, it does not compare the number of references,
 * since references without records may be missing from the index.
 */
function fits({ lines }: BinIndex, { format, names }: AlignmentHeader): boolean {
  if (format.kind !== 'lines') return !lines
  return lines?.names.every((name, number) => names[number] === name) ?? false
}

/** Returns the local path of the index, fetching it if needed. */
export async function indexPathOf({ indexPath }: AlignmentParts): Promise<string | undefined> {
  return typeof indexPath === 'function' ? indexPath() : indexPath
}

function parseIndexAt(path: string, executor: Executor): Promise<BinIndex> {
  return executor.run(indexJob, { path })
}

export function indexMemory(index: BinIndex): number {
  return indexBuffers(index).reduce((sum, buffer) => sum + buffer.byteLength, 0)
}
