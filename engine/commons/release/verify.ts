import { type FileHandle, open, readdir } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { crc32 } from 'node:zlib'
import { readArrays } from '../../shared/arrays/array-file.ts'
import { descriptorShortage } from '../../shared/descriptors.ts'
import { EngineError } from '../../shared/errors.ts'
import type { Issue } from '../../shared/issue.ts'
import { DATASET_NAMES } from '../datasets/define.ts'
import { DOCUMENT_ARRAYS, type DocumentArrays, damagedDocument, GROUP_ROWS } from './documents.ts'
import { documentsKey, type ReleaseManifest } from './layout.ts'
import { MANIFEST_NAME, readManifest } from './manifest.ts'

const READ_BYTES = 4 << 20

/**
 * Verifies a release. The manifest must be readable, every file must have its size and checksum, there must be
 * no other files, and every document must be readable.
 */
export async function* verifyRelease(folder: string): AsyncGenerator<Issue> {
  let manifest: ReleaseManifest
  try {
    manifest = await readManifest(folder)
  } catch (error) {
    yield { subject: MANIFEST_NAME, problem: messageOf(error) }
    return
  }
  const damaged = new Set<string>()
  for (const [path, expected] of Object.entries(manifest.files)) {
    const problem = await checkFile(join(folder, path), expected)
    if (!problem) continue
    damaged.add(path)
    yield { subject: path, problem }
  }
  for (const path of await filesBelow(folder)) {
    if (path !== MANIFEST_NAME && !Object.hasOwn(manifest.files, path)) {
      yield { subject: path, problem: 'file is not listed in the manifest' }
    }
  }
  for (const dataset of DATASET_NAMES) {
    const rows = manifest.datasets[dataset]?.rows ?? 0
    const texts = { folder, key: documentsKey(dataset), rows }
    if (rows > 0) yield* checkDocuments(texts, damaged)
  }
}

/** Compares a file with its recorded size and checksum. Returns the problem, or undefined if the file is intact. */
export async function checkFile(
  path: string,
  expected: { readonly bytes: number; readonly crc32: number },
  signal?: AbortSignal,
): Promise<string | undefined> {
  const file = await open(path, 'r').catch((cause: unknown) => {
    if (descriptorShortage(cause)) throw cause
    return undefined
  })
  if (!file) return 'file cannot be opened'
  try {
    const { size } = await file.stat()
    if (size !== expected.bytes) return `file has ${size} bytes; ${expected.bytes} are on record`
    const buffer = Buffer.allocUnsafeSlow(Math.min(READ_BYTES, size + 1))
    let checksum = 0
    for (;;) {
      signal?.throwIfAborted()
      const { bytesRead } = await file.read(buffer, 0, buffer.length)
      if (bytesRead === 0) break
      checksum = crc32(buffer.subarray(0, bytesRead), checksum)
    }
    return checksum === expected.crc32 ? undefined : 'its CRC32 is not the one on record'
  } catch (error) {
    signal?.throwIfAborted()
    return messageOf(error)
  } finally {
    await file.close()
  }
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort()
}

interface Texts {
  readonly folder: string
  readonly key: string
  readonly rows: number
}

/**
 * Verifies every document. Of documents that are read together, only the first damaged one is reported.
 * @param damaged files that have already been reported
 */
async function* checkDocuments(
  { folder, key, rows }: Texts,
  damaged: ReadonlySet<string>,
): AsyncGenerator<Issue> {
  const path = `${key}.text`
  const subject = path
  const places = `${key}.arrays`
  let file: FileHandle
  let arrays: DocumentArrays
  try {
    arrays = (await readArrays(join(folder, places), DOCUMENT_ARRAYS)).arrays
    file = await open(join(folder, path), 'r')
  } catch (error) {
    if (descriptorShortage(error)) throw error
    const isKnown = damaged.has(places) || damaged.has(path)
    if (!isKnown) yield { subject: places, problem: messageOf(error) }
    return
  }
  try {
    const { lengths, starts } = arrays
    if (lengths.length !== rows) {
      yield { subject, problem: `it holds ${lengths.length} documents; ${rows} are on record` }
    }
    let buffer = Buffer.allocUnsafeSlow(Math.min(READ_BYTES, starts.at(-1) ?? 0))
    for (let group = 0; group + 1 < starts.length; ) {
      const start = starts[group]!
      let next = group + 1
      while ((starts[next + 1] ?? Number.POSITIVE_INFINITY) - start <= READ_BYTES) next++
      const length = starts[next]! - start
      if (length > buffer.length) buffer = Buffer.allocUnsafeSlow(length)
      const { bytesRead } = await file.read(buffer, 0, length, start)
      const first = group * GROUP_ROWS
      const end = Math.min(next * GROUP_ROWS, lengths.length)
      const row = firstDamaged(arrays, first, end, buffer.subarray(0, bytesRead))
      if (row !== undefined) {
        yield { subject, problem: damagedDocument(path, row, undefined).message }
      }
      group = next
    }
  } finally {
    await file.close()
  }
}

/** @param bytes bytes from the document of the first row on */
function firstDamaged(
  { lengths, checksums }: DocumentArrays,
  first: number,
  end: number,
  bytes: Buffer,
): number | undefined {
  let at = 0
  for (let row = first; row < end; row++) {
    const next = at + lengths[row]!
    // A truncated document is damaged too.
    if (next > bytes.length || crc32(bytes.subarray(at, next)) !== checksums[row]) return row
    at = next
  }
  return undefined
}

function messageOf(error: unknown): string {
  if (error instanceof EngineError) return error.message
  return error instanceof Error ? error.message : String(error)
}
