import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { counted, peek, plainBytes } from '../formats/byte-source.ts'
import { explainSystemError } from './system-error.ts'

/** A file to import. */
export interface SourceFile {
  readonly path: string
  /** Name in messages and reports: the given path, extended for files found in a folder. */
  readonly name: string
  readonly size: number
  /** Whether the user named the file itself, not a folder that contains it. */
  readonly isNamed: boolean
}

/** Number of bytes at the start of a file from which its kind is recognised. */
export const HEAD_BYTES = 64 << 10
/** Bytes per read of a file. */
export const READ_BYTES = 1 << 20

/**
 * Lists the files of the given sources. Folders are searched recursively, in name order.
 * @throws EngineError `not_found` or another code for a system error
 */
export async function listSources(sources: readonly string[]): Promise<readonly SourceFile[]> {
  const files: SourceFile[] = []
  for (const source of sources) await walk(source, true, files)
  return files
}

/** Adds the files below a path one by one: a folder may have more files than a call takes arguments. */
async function walk(path: string, isNamed: boolean, found: SourceFile[]): Promise<void> {
  const stats = await stat(path).catch((cause: unknown) => {
    throw explainSystemError(cause, path)
  })
  if (!stats.isDirectory()) {
    found.push({ path, name: path, size: stats.size, isNamed })
    return
  }
  const names = (await readdir(path)).sort()
  for (const name of names) {
    if (!name.startsWith('.')) await walk(join(path, name), false, found)
  }
}

/** Content of a file. Gzip is recognised by the first bytes and inflated. */
export interface OpenSource {
  readonly head: Buffer
  /** The whole content including the head. Can be read once. */
  readonly chunks: AsyncIterable<Uint8Array>
  close(): Promise<void>
}

export interface OpenOptions {
  readonly signal?: AbortSignal | undefined
  /** Called with the size of each chunk read from disk. */
  readonly onRead?: ((bytes: number) => void) | undefined
}

/**
 * Opens a file.
 * @throws the system's error, or zlib's error if the first bytes cannot be inflated
 */
export async function openSource(
  { path }: Pick<SourceFile, 'path'>,
  { signal, onRead }: OpenOptions = {},
): Promise<OpenSource> {
  const stream = createReadStream(path, {
    highWaterMark: READ_BYTES,
    ...(signal ? { signal } : {}),
  })
  const plain = peek(plainBytes(counted(stream, onRead)))
  try {
    const head = await plain.head(HEAD_BYTES)
    return { head, chunks: plain.all(), close: async () => void stream.destroy() }
  } catch (error) {
    stream.destroy()
    throw error
  }
}
