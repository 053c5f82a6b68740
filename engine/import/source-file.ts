import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { EngineError } from '../errors.ts'

/** One file of what was given to import. */
export interface SourceFile {
  readonly path: string
  /** How messages and the report call it: the path as it was given, folders below it added. */
  readonly name: string
  readonly size: number
  /** It was given itself, not found in a folder. */
  readonly isNamed: boolean
}

/** As much of a file's content as its kind is told by. */
export const HEAD_BYTES = 64 << 10
const READ_BYTES = 1 << 20

/**
 * The files of sources, folders with all that is below them in the order of names.
 * @throws EngineError not_found
 */
export async function listSources(sources: readonly string[]): Promise<readonly SourceFile[]> {
  const files: SourceFile[] = []
  for (const source of sources) files.push(...(await walk(source, true)))
  return files
}

async function walk(path: string, isNamed: boolean): Promise<readonly SourceFile[]> {
  const stats = await stat(path).catch((cause: unknown) => {
    throw new EngineError('not_found', `no file or folder at "${path}"`, { cause })
  })
  if (!stats.isDirectory()) return [{ path, name: path, size: stats.size, isNamed }]
  const names = (await readdir(path)).sort()
  const found: SourceFile[] = []
  for (const name of names) {
    if (!name.startsWith('.')) found.push(...(await walk(join(path, name), false)))
  }
  return found
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
  /** Called with the number of bytes of each piece read from disk. */
  readonly onRead?: ((bytes: number) => void) | undefined
}

/** @throws the fault of the system, or of zlib when the beginning does not inflate */
export async function openSource(
  { path }: SourceFile,
  { signal, onRead }: OpenOptions = {},
): Promise<OpenSource> {
  const stream = createReadStream(path, {
    highWaterMark: READ_BYTES,
    ...(signal ? { signal } : {}),
  })
  const raw = peek(counted(stream, onRead), 2)
  const start = await raw.head()
  const isGzip = start[0] === 0x1f && start[1] === 0x8b
  const plain = isGzip ? peek(inflated(raw.all()), HEAD_BYTES) : raw
  try {
    const head = isGzip ? await plain.head() : await raw.head(HEAD_BYTES)
    return { head, chunks: plain.all(), close: async () => void stream.destroy() }
  } catch (error) {
    stream.destroy()
    throw error
  }
}

function inflated(bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const gunzip = createGunzip({ chunkSize: READ_BYTES })
  // A fault of either side reaches the reader as the stream's own error.
  pipeline(Readable.from(bytes), gunzip, () => {})
  return gunzip
}

async function* counted(
  bytes: AsyncIterable<Uint8Array>,
  onRead: OpenOptions['onRead'],
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of bytes) {
    onRead?.(chunk.length)
    yield chunk
  }
}

/** Lets the first bytes be looked at before all of them are read. */
function peek(bytes: AsyncIterable<Uint8Array>, least: number) {
  const iterator = bytes[Symbol.asyncIterator]()
  const first: Uint8Array[] = []
  let length = 0
  return {
    async head(wanted: number = least): Promise<Buffer> {
      while (length < wanted) {
        const next = await iterator.next()
        if (next.done) break
        first.push(next.value)
        length += next.value.length
      }
      return Buffer.concat(first)
    },
    async *all(): AsyncGenerator<Uint8Array, void, undefined> {
      try {
        yield* first.splice(0)
        for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
          yield next.value
        }
      } finally {
        await iterator.return?.()
      }
    },
  }
}
