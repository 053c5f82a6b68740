import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { counted, inflated, isGzip, peek } from '../formats/byte-source.ts'
import { explainSystemError } from './system-error.ts'

/** One file of what was given to import. */
export interface SourceFile {
  readonly path: string
  /** How messages and the report call it: the path as it was given, folders below it added. */
  readonly name: string
  readonly size: number
  /** It was given itself, not found in a folder. */
  readonly isNamed: boolean
}

/** As much of a file's content as its kind is recognised by. */
export const HEAD_BYTES = 64 << 10
/** Bytes of a file that are read at a time. */
export const READ_BYTES = 1 << 20

/**
 * The files of sources, folders with all that is below them in the order of names.
 * @throws EngineError not_found
 */
export async function listSources(sources: readonly string[]): Promise<readonly SourceFile[]> {
  const files: SourceFile[] = []
  for (const source of sources) await walk(source, true, files)
  return files
}

/** Adds to those that were found; a folder may have more than a call takes arguments. */
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

/** A file's content, inflated when it begins as gzip does, whatever its name. */
export interface OpenSource {
  readonly head: Buffer
  /** All of it, the head included; read once. */
  readonly chunks: AsyncIterable<Uint8Array>
  close(): Promise<void>
}

export interface OpenOptions {
  readonly signal?: AbortSignal | undefined
  /** Called with the number of bytes of each chunk read from disk. */
  readonly onRead?: ((bytes: number) => void) | undefined
}

/** @throws the error of the system, or of zlib when the beginning does not inflate */
export async function openSource(
  { path }: Pick<SourceFile, 'path'>,
  { signal, onRead }: OpenOptions = {},
): Promise<OpenSource> {
  const stream = createReadStream(path, {
    highWaterMark: READ_BYTES,
    ...(signal ? { signal } : {}),
  })
  const raw = peek(counted(stream, onRead))
  const plain = isGzip(await raw.head(2)) ? peek(inflated(raw.all())) : raw
  try {
    const head = await plain.head(HEAD_BYTES)
    return { head, chunks: plain.all(), close: async () => void stream.destroy() }
  } catch (error) {
    stream.destroy()
    throw error
  }
}
