import { type FileHandle, open, stat } from 'node:fs/promises'
import { EngineError } from '../errors.ts'
import type { Executor } from '../executor.ts'
import { type BinIndex, indexBuffers } from '../formats/bam-index.ts'
import { END_MARKER } from '../formats/bgzf.ts'
import { type Directory, loadDirectory } from './directory.ts'
import { type AlignmentHeader, headerJob } from './header.ts'
import { type FileIdentity, identityOf, sameIdentity } from './identity.ts'
import { indexJob } from './index-file.ts'
import { Ledger } from './ledger.ts'
import type { ByteSource } from './source.ts'

/** Where the parts of an alignment file are. */
export interface AlignmentPaths {
  readonly path: string
  readonly indexPath?: string | undefined
  /** Where its block directory is or would be. */
  readonly directoryPath?: string | undefined
}

/** An open BAM file with all that is known of it. Valid as long as the file keeps its identity. */
export interface Alignment {
  readonly paths: AlignmentPaths
  readonly identity: FileIdentity
  readonly handle: FileHandle
  readonly source: ByteSource
  readonly header: AlignmentHeader
  /** Number of each reference name. */
  readonly numberOf: ReadonlyMap<string, number>
  readonly directory: Directory | undefined
  readonly ledger: Ledger
  /** Whether the file ends as a complete file does. */
  readonly complete: boolean
  /** Problems that do not stop the file from being served. */
  readonly warnings: readonly string[]
  /** Bytes of memory that it holds, roughly. */
  readonly memory: number
}

/**
 * Opens a BAM file: its header, its block directory if that is current.
 * @throws EngineError unavailable when it cannot be opened, corrupt_source when it is damaged
 */
export async function openAlignment(paths: AlignmentPaths, executor: Executor): Promise<Alignment> {
  const handle = await openForReading(paths.path)
  try {
    const stats = await handle.stat({ bigint: true })
    if (!stats.isFile()) {
      throw new EngineError('unavailable', 'alignment file is a folder, a pipe or a device')
    }
    const identity = identityOf(stats)
    const source = { descriptor: handle.fd, size: identity.size }
    const header = await executor.run(headerJob, source)
    if (header.sortOrder !== undefined && header.sortOrder !== 'coordinate') {
      throw new EngineError(
        'bad_input',
        `file states sort order "${header.sortOrder}"; only coordinate-sorted files can be sliced`,
      )
    }
    const warnings: string[] = []
    const directory = await currentDirectory(paths.directoryPath, identity, header, warnings)
    if (paths.indexPath) await warnOfOldIndex(paths.indexPath, identity, warnings)
    return {
      paths,
      identity,
      handle,
      source,
      header,
      numberOf: new Map(header.names.map((name, number) => [name, number])),
      directory,
      ledger: new Ledger(),
      complete: await endsWithMarker(handle, identity.size),
      warnings,
      memory: header.packed.length + 100 * header.names.length + directoryMemory(directory),
    }
  } catch (error) {
    await handle.close()
    throw error
  }
}

async function openForReading(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'r')
  } catch (cause) {
    throw new EngineError('unavailable', 'alignment file cannot be opened', { cause })
  }
}

/** Identity of the file under a path now. */
export async function identityNow(path: string): Promise<FileIdentity> {
  try {
    return identityOf(await stat(path, { bigint: true }))
  } catch (cause) {
    throw new EngineError('unavailable', 'alignment file cannot be opened', { cause })
  }
}

async function currentDirectory(
  path: string | undefined,
  identity: FileIdentity,
  header: AlignmentHeader,
  warnings: string[],
): Promise<Directory | undefined> {
  if (!path) return undefined
  try {
    const { directory, facts } = await loadDirectory(path)
    if (!sameIdentity(facts, identity)) {
      warnings.push('the file changed after its block directory was made')
    } else if (directory.referenceRun.length !== header.names.length + 2) {
      warnings.push('the block directory does not fit the file')
    } else {
      return directory
    }
  } catch (error) {
    if (error instanceof EngineError) warnings.push(error.message)
    else if (!isMissing(error)) throw error
  }
  return undefined
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}

async function warnOfOldIndex(path: string, identity: FileIdentity, warnings: string[]) {
  const index = await stat(path, { bigint: true }).catch(() => undefined)
  if (index && index.mtimeNs < BigInt(identity.modified)) {
    warnings.push('the index is older than its file')
  }
}

async function endsWithMarker(handle: FileHandle, size: number): Promise<boolean> {
  const length = END_MARKER.length
  if (size < length) return false
  const { buffer } = await handle.read(Buffer.alloc(length), 0, length, size - length)
  return buffer.equals(END_MARKER)
}

function directoryMemory(directory: Directory | undefined): number {
  if (!directory) return 0
  return 16 * directory.blockLength.length + 22 * directory.runBlock.length
}

/**
 * Reads the file's index.
 * @throws EngineError no_index when there is none or it does not belong to the file
 */
export async function readIndex(alignment: Alignment, executor: Executor): Promise<BinIndex> {
  const { paths, header, identity } = alignment
  if (!paths.indexPath) {
    throw new EngineError('no_index', 'no index can be found for the BAM file')
  }
  const index = await executor.run(indexJob, { path: paths.indexPath })
  const beyond = index.chunks.some((offset) => Number(offset >> 16n) > identity.size)
  if (index.referenceCount !== header.names.length || beyond) {
    throw new EngineError('no_index', 'index does not belong to the BAM file; index it again')
  }
  return index
}

export function indexMemory(index: BinIndex): number {
  return indexBuffers(index).reduce((sum, buffer) => sum + buffer.byteLength, 0)
}
