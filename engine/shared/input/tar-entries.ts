import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { extract } from 'tar-stream'
import { EngineError } from '../errors.ts'
import { openSource } from './source-file.ts'
import { explainSystemError, isSystemError } from './system-error.ts'

/** Limits on the content of an archive. Sizes are in bytes after decompression. */
export interface TarLimits {
  readonly entries: number
  readonly entryBytes: number
  /** Total size, including tar headers. */
  readonly totalBytes: number
}

interface TarTextEntry {
  readonly name: string
  readonly text: string
}

/**
 * Yields the files of a tar archive, plain or gzip, in archive order. Links and folders are skipped.
 * @throws EngineError `too_large` over a limit; `corrupt_source` if it is not a valid archive of UTF-8 texts;
 * `not_found` or another code for a system error
 */
export async function* tarEntries(
  path: string,
  limits: TarLimits,
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): AsyncGenerator<TarTextEntry> {
  try {
    yield* entriesOf((await openSource({ path }, { signal })).chunks, limits)
  } catch (cause) {
    signal?.throwIfAborted()
    if (cause instanceof EngineError) throw cause
    if (isSystemError(cause)) throw explainSystemError(cause, path)
    const message = 'the archive is no sound tar of texts; get it again'
    throw new EngineError('corrupt_source', message, { cause })
  }
}

async function* entriesOf(
  chunks: AsyncIterable<Uint8Array>,
  limits: TarLimits,
): AsyncGenerator<TarTextEntry> {
  const unpacked = extract()
  const ending = pipeline(Readable.from(bounded(chunks, limits)), unpacked)
  // The loop below throws the same error, so this promise's rejection must not count as unhandled.
  ending.catch(() => {})
  let count = 0
  try {
    for await (const entry of unpacked) {
      const { name, size = 0, type } = entry.header
      if (++count > limits.entries) tooLarge('it has more entries', limits)
      if (size > limits.entryBytes) tooLarge(`"${name}" has ${size} bytes`, limits)
      const parts: Uint8Array[] = []
      for await (const part of entry as AsyncIterable<Uint8Array>) parts.push(part)
      if (type === 'file') yield { name, text: decode(Buffer.concat(parts)) }
    }
    await ending
  } finally {
    unpacked.destroy()
  }
}

async function* bounded(chunks: AsyncIterable<Uint8Array>, limits: TarLimits) {
  let total = 0
  for await (const chunk of chunks) {
    total += chunk.length
    if (total > limits.totalBytes) tooLarge('it unpacks to more', limits)
    yield chunk
  }
}

const decode = (bytes: Uint8Array) => new TextDecoder('utf-8', { fatal: true }).decode(bytes)

function tooLarge(what: string, { entries, entryBytes, totalBytes }: TarLimits): never {
  const limits = `${entries} entries of ${entryBytes} bytes, ${totalBytes} in all`
  throw new EngineError('too_large', `the archive is over the limits: ${what}; limits: ${limits}`)
}
