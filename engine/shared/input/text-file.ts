import { basename } from 'node:path'
import { EngineError } from '../errors.ts'
import { isGzipError } from '../formats/byte-source.ts'
import { FormatError } from '../formats/format-error.ts'
import { openSource } from './source-file.ts'
import { explainSystemError } from './system-error.ts'
import { utf8Text } from './utf8-text.ts'

interface TextFileOptions {
  /** Maximum size of the decompressed text in bytes. Reading stops there. */
  readonly maxBytes: number
  readonly signal?: AbortSignal | undefined
}

/**
 * Reads a text file. Gzip is recognised by its first bytes and inflated.
 * @throws EngineError `not_found`; `unavailable` if it cannot be read; `too_large`; `bad_input` if it is not
 * UTF-8 or in another format, which it names; `corrupt_source` if gzip does not inflate
 */
export async function readTextFile(
  path: string,
  { maxBytes, signal }: TextFileOptions,
): Promise<string> {
  const name = basename(path)
  const bytes = await readBytes(path, maxBytes, signal).catch((cause: unknown) => {
    if (!isGzipError(cause)) throw explainSystemError(cause, path)
    const message = `"${name}" is cut off or damaged: its gzip does not inflate; get it again`
    throw new EngineError('corrupt_source', message, { cause })
  })
  try {
    return utf8Text(bytes)
  } catch (cause) {
    if (!(cause instanceof FormatError)) throw cause
    throw new EngineError('bad_input', `"${name}" is not taken: ${cause.message}`, { cause })
  }
}

async function readBytes(
  path: string,
  maxBytes: number,
  signal: AbortSignal | undefined,
): Promise<Buffer> {
  const source = await openSource({ path }, { signal })
  try {
    const chunks: Uint8Array[] = []
    let length = 0
    for await (const chunk of source.chunks) {
      length += chunk.length
      if (length > maxBytes) {
        throw new EngineError('too_large', `"${basename(path)}" is larger than ${maxBytes} bytes`)
      }
      chunks.push(chunk)
    }
    return Buffer.concat(chunks)
  } finally {
    await source.close()
  }
}
