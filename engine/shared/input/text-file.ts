import { basename } from 'node:path'
import { EngineError } from '../errors.ts'
import { openSource } from './source-file.ts'
import { explainSystemError } from './system-error.ts'

export interface TextFileOptions {
  /** Of the text, unpacked; no more is read. */
  readonly maxBytes: number
  readonly signal?: AbortSignal | undefined
}

/**
 * All of a text file, inflated when it begins as gzip does.
 * @throws EngineError not_found; unavailable for a file that cannot be read; too_large; bad_input for what
 *   is not UTF-8; corrupt_source for gzip that does not inflate
 */
export async function readTextFile(
  path: string,
  { maxBytes, signal }: TextFileOptions,
): Promise<string> {
  const name = basename(path)
  const bytes = await readBytes(path, maxBytes, signal).catch((cause: unknown) => {
    if (!isZlibError(cause)) throw explainSystemError(cause, path)
    const message = `"${name}" is cut off or damaged: its gzip does not inflate; get it again`
    throw new EngineError('corrupt_source', message, { cause })
  })
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new EngineError('bad_input', `"${name}" is not UTF-8`, { cause })
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

function isZlibError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')
}
