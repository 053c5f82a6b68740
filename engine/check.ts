import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { crc32 } from 'node:zlib'
import { EngineError } from './errors.ts'
import type { Executor } from './executor.ts'
import type { Finding } from './finding.ts'
import type { Releases } from './release/releases.ts'
import { verifyRelease } from './release/verify.ts'
import { type Alignment, openAlignment, readIndex } from './slicing/alignment.ts'
import type { Directory } from './slicing/directory.ts'
import { pathsOf } from './slicing/stored.ts'
import type { FileCatalogue, StoredFile } from './store/files.ts'

export interface CheckContext {
  readonly files: FileCatalogue
  readonly filesFolder: string
  readonly executor: Executor
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((bytes: number) => void) | undefined
}

/** Verifies the database of the data folder. */
export function* checkState(state: DatabaseSync): Generator<Finding> {
  for (const row of state.prepare('PRAGMA integrity_check').all()) {
    if (row.integrity_check !== 'ok') {
      yield { subject: 'state.sqlite', problem: String(row.integrity_check) }
    }
  }
}

/** Verifies every release of the data folder, and that the one to be served is among them. */
export async function* checkReleases(releases: Releases): AsyncGenerator<Finding> {
  const ids = await releases.names()
  for (const id of ids) {
    for await (const { subject, problem } of verifyRelease(releases.folder(id))) {
      yield { subject: join('releases', id, subject), problem }
    }
  }
  const current = await releases.current()
  if (current !== undefined && !ids.includes(current)) {
    yield {
      subject: join('releases', 'current'),
      problem: `names "${current}", which is no release`,
    }
  }
}

const READ_BYTES = 4 << 20

/**
 * Verifies every stored file: it is there, has its size and md5, its block directory is current and
 * every block has the checksum of the ledger, its index belongs to it and is not older. Reports
 * folders that belong to no file too.
 */
export async function* checkFiles(context: CheckContext): AsyncGenerator<Finding> {
  const { files, filesFolder } = context
  const known = new Set<string>()
  for (const file of files.list()) {
    known.add(file.id)
    for await (const problem of checkFile(file, context)) yield { subject: file.id, problem }
  }
  for (const name of await readdir(filesFolder).catch(() => [])) {
    if (!known.has(name)) {
      yield { subject: join('files', name), problem: 'folder belongs to no file of the catalogue' }
    }
  }
}

async function* checkFile(file: StoredFile, context: CheckContext): AsyncGenerator<string> {
  const { files, executor } = context
  let alignment: Alignment
  try {
    alignment = await openAlignment(pathsOf(files, file), executor)
  } catch (error) {
    yield messageOf(error)
    return
  }
  try {
    const { identity, directory, warnings, complete } = alignment
    yield* warnings
    if (identity.size !== file.size) {
      yield `file has ${identity.size} bytes; ${file.size} are on record`
    }
    if (!complete) yield 'file has no end marker'
    if (!directory && warnings.length === 0) yield 'block directory is missing'
    yield* checkBytes(alignment, file, context)
    if (file.indexName !== null) {
      try {
        await readIndex(alignment, executor)
      } catch (error) {
        yield messageOf(error)
      }
    }
  } finally {
    await alignment.handle.close()
  }
}

async function* checkBytes(
  { handle, identity, directory }: Alignment,
  file: StoredFile,
  { signal, onProgress }: CheckContext,
): AsyncGenerator<string> {
  const hash = createHash('md5')
  const buffer = Buffer.allocUnsafeSlow(READ_BYTES)
  const ledger = directory ? new LedgerCheck(directory) : undefined
  for (let at = 0; at < identity.size; ) {
    signal?.throwIfAborted()
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, at)
    if (bytesRead === 0) break
    const bytes = buffer.subarray(0, bytesRead)
    hash.update(bytes)
    ledger?.add(bytes, at)
    at += bytesRead
    onProgress?.(bytesRead)
  }
  if (ledger && ledger.firstBad >= 0) {
    yield `block at byte ${ledger.firstBad} differs from the ledger (${ledger.badBlocks} such blocks)`
  }
  const md5 = hash.digest('hex')
  if (md5 !== file.md5) yield `md5 is ${md5}; ${file.md5} is on record`
}

/** Compares blocks with the ledger while the file streams by. */
class LedgerCheck {
  readonly #directory: Directory
  #row = 0
  #checksum = 0
  firstBad = -1
  badBlocks = 0

  constructor(directory: Directory) {
    this.#directory = directory
  }

  /** @param position file offset of the bytes; calls follow each other */
  add(bytes: Buffer, position: number): void {
    const { blockOffset, blockLength, checksum } = this.#directory
    const limit = position + bytes.length
    while (this.#row < blockLength.length) {
      const start = blockOffset[this.#row] ?? 0
      const end = start + (blockLength[this.#row] ?? 0)
      if (start >= limit) return
      const part = bytes.subarray(Math.max(start - position, 0), end - position)
      this.#checksum = crc32(part, this.#checksum)
      if (end > limit) return
      if (this.#checksum !== checksum[this.#row]) {
        if (this.firstBad < 0) this.firstBad = start
        this.badBlocks++
      }
      this.#checksum = 0
      this.#row++
    }
  }
}

function messageOf(error: unknown): string {
  if (error instanceof EngineError) return error.message
  throw error
}
