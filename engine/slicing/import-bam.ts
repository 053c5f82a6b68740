import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { copyFile, lstat, mkdir, open, realpath, rename, rm, symlink } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { EngineError } from '../errors.ts'
import type { Executor } from '../executor.ts'
import type { FileCatalogue, StoredFile } from '../store/files.ts'
import { nameUuid } from '../store/uuid.ts'
import { type Alignment, identityNow, openAlignment, readIndex } from './alignment.ts'
import { buildDirectory } from './build-directory.ts'
import { saveDirectory } from './directory.ts'
import { sameIdentity } from './identity.ts'
import { ImportProgress } from './import-progress.ts'
import { DIRECTORY_NAME } from './stored.ts'

export interface ImportBam {
  readonly path: string
  /** Id to store it under; by default one made from its md5, name and project. */
  readonly id?: string | undefined
  /** Its BAI or CSI; by default whatever lies beside it under a usual name. */
  readonly indexPath?: string | undefined
  readonly access: 'open' | 'controlled'
  readonly project?: string | undefined
  /** Refer to the file where it is instead of copying it. */
  readonly link?: boolean
}

export interface ImportContext {
  readonly dataFolder: string
  readonly files: FileCatalogue
  readonly executor: Executor
  readonly clock: () => Date
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((bytes: number, total: number) => void) | undefined
}

export interface ImportedBam {
  readonly file: StoredFile
  readonly records: number
  /** Whether the same bytes were stored under this id before. */
  readonly known: boolean
  readonly warnings: readonly string[]
}

const COPY_BYTES = 4 << 20

/**
 * Stores a BAM file: one pass proves every block and the sort order and makes the block directory,
 * beside it the bytes are copied and hashed. Interrupted, it goes on where it was when called again
 * for the same file; the file can be seen only when everything is in place.
 * @throws EngineError bad_input (not sorted, bad id), corrupt_source, already_exists, conflict
 */
export async function importBam(what: ImportBam, context: ImportContext): Promise<ImportedBam> {
  const { executor, files, signal, onProgress } = context
  const indexPath = what.indexPath ?? (await findIndex(what.path))
  const source = await openAlignment({ path: what.path, indexPath }, executor)
  try {
    const { identity } = source
    if (!source.complete) {
      throw new EngineError(
        'corrupt_source',
        `"${basename(what.path)}" has no end marker: it is cut off, or still being written`,
      )
    }
    if (indexPath) await readIndex(source, executor)
    const progress = await ImportProgress.open(
      join(context.dataFolder, 'incoming'),
      await realpath(what.path),
      identity,
    )
    try {
      const stop = new AbortController()
      const both = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal
      const [directory, md5] = await allOrStop(stop, [
        buildDirectory(source.source, source.header, executor, {
          signal: both,
          resume: await progress.rows(),
          onStretch: (stretch) => progress.add(stretch),
          onProgress: (bytes) => onProgress?.(bytes, identity.size),
        }),
        hashAndCopy(source, what.link ? undefined : progress.partPath, both),
      ])
      if (!sameIdentity(identity, await identityNow(what.path))) {
        throw new EngineError('conflict', `"${basename(what.path)}" changed while it was read`)
      }
      const file = describe(what, md5, indexPath, source, context.clock)
      const known = files.find(file.id)
      if (known && known.md5 !== md5) {
        throw new EngineError(
          'already_exists',
          `id ${file.id} belongs to a file with md5 ${known.md5}, this one has ${md5}`,
          { at: 'id' },
        )
      }
      await place(what, file, known !== undefined, progress.partPath, indexPath, files)
      const stored = await identityNow(files.path(file))
      await saveDirectory(files.path(file, DIRECTORY_NAME), directory, stored)
      files.add(file)
      await progress.finish()
      return {
        file: files.find(file.id) ?? file,
        records: directory.records,
        known: known !== undefined,
        warnings: source.warnings,
      }
    } finally {
      await progress.close()
    }
  } finally {
    await source.handle.close()
  }
}

/** Both results, or the first failure once both have stopped. */
async function allOrStop<A, B>(
  stop: AbortController,
  [a, b]: readonly [Promise<A>, Promise<B>],
): Promise<[A, B]> {
  const onFailure = (error: unknown) => {
    stop.abort(error)
    throw error
  }
  const settled = await Promise.allSettled([a.catch(onFailure), b.catch(onFailure)])
  if (stop.signal.aborted) throw stop.signal.reason
  return settled.map((result) => (result.status === 'fulfilled' ? result.value : undefined)) as [
    A,
    B,
  ]
}

/** The index that lies beside a BAM file under a usual name. */
export async function findIndex(path: string): Promise<string | undefined> {
  const stem = path.replace(/\.bam$/i, '')
  for (const candidate of [`${path}.bai`, `${stem}.bai`, `${path}.csi`, `${stem}.csi`]) {
    const handle = await open(candidate, 'r').catch(() => undefined)
    if (!handle) continue
    await handle.close()
    return candidate
  }
  return undefined
}

async function hashAndCopy(
  { handle, identity }: Alignment,
  partPath: string | undefined,
  signal: AbortSignal,
): Promise<string> {
  const hash = createHash('md5')
  const buffer = Buffer.allocUnsafeSlow(COPY_BYTES)
  const part = partPath === undefined ? undefined : await open(partPath, 'w')
  try {
    for (let at = 0; at < identity.size; ) {
      signal.throwIfAborted()
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, at)
      if (bytesRead === 0)
        throw new EngineError('conflict', 'file became shorter while it was read')
      const bytes = buffer.subarray(0, bytesRead)
      hash.update(bytes)
      if (part) await part.writeFile(bytes)
      at += bytesRead
    }
    await part?.sync()
  } finally {
    await part?.close()
  }
  return hash.digest('hex')
}

function describe(
  { path, id, access, project }: ImportBam,
  md5: string,
  indexPath: string | undefined,
  { identity }: Alignment,
  clock: () => Date,
): StoredFile {
  const fileName = basename(path)
  return {
    id: id?.toLowerCase() ?? nameUuid('file', md5, fileName, project ?? ''),
    fileName,
    size: identity.size,
    md5,
    dataFormat: 'BAM',
    access,
    project: project ?? null,
    indexName: indexPath ? `${fileName}.${/\.csi$/i.test(indexPath) ? 'csi' : 'bai'}` : null,
    createdAt: clock().toISOString(),
  }
}

/** Puts bytes and index into the file's folder, each by a rename. */
async function place(
  what: ImportBam,
  file: StoredFile,
  known: boolean,
  partPath: string,
  indexPath: string | undefined,
  files: FileCatalogue,
): Promise<void> {
  const target = files.path(file)
  await mkdir(join(target, '..'), { recursive: true })
  if (what.link) {
    const temporary = `${target}.part`
    await rm(temporary, { force: true })
    await symlink(await realpath(what.path), temporary)
    await rename(temporary, target)
  } else if (!known || !(await isCopy(target, file))) {
    // Bytes that are being served and are the same are left alone.
    await rename(partPath, target)
  }
  if (indexPath && file.indexName) {
    const indexTarget = files.path(file, file.indexName)
    await copyFile(indexPath, `${indexTarget}.part`)
    await rename(`${indexTarget}.part`, indexTarget)
  }
}

/** A link to a file outside does not count: that may be moved or changed at any time. */
async function isCopy(path: string, { size, md5 }: StoredFile): Promise<boolean> {
  const stats = await lstat(path).catch(() => undefined)
  if (!stats?.isFile() || stats.size !== size) return false
  const hash = createHash('md5')
  for await (const chunk of createReadStream(path, { highWaterMark: COPY_BYTES }))
    hash.update(chunk)
  return hash.digest('hex') === md5
}
