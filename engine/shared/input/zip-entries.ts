import { open } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { type Entry, openPromise, type ZipFile } from 'yauzl'
import { EngineError } from '../errors.ts'
import { FormatError } from '../formats/format-error.ts'
import { explainSystemError } from './system-error.ts'
import { utf8Text } from './utf8-text.ts'

/** Limits on the content of an archive. Sizes are in bytes after decompression. */
export interface ZipLimits {
  readonly entries: number
  readonly entryBytes: number
  readonly totalBytes: number
  /** Maximum ratio of decompressed to compressed size. */
  readonly ratio: number
}

interface ZipTextEntry {
  /** Path within the archive. It never leads out of the archive. */
  readonly name: string
  /** Size after decompression. */
  readonly bytes: number
  /** Decompresses the entry. Call it before the next entry is requested. */
  text(): Promise<string>
}

/**
 * Yields the entries of a ZIP archive in their order. An entry's stated size is checked against the limits
 * before decompression, and decompression stops at the stated size.
 * @param expected what to give instead, for the error if the file is not an archive
 * @throws EngineError `too_large` over a limit; `corrupt_source` if it is not a valid archive, also from
 * `text`; `not_found` or another code for a system error
 */
export async function* zipEntries(
  path: string,
  limits: ZipLimits,
  expected: string,
): AsyncGenerator<ZipTextEntry> {
  const zip = await openZip(path, expected)
  try {
    if (zip.entryCount > limits.entries) tooLarge(`it has ${zip.entryCount} entries`, limits)
    let total = 0
    const entries = zip.eachEntry()
    for (let entry = await nextOf(entries); entry; entry = await nextOf(entries)) {
      const found = entry
      checkSizes(found, limits)
      total += found.uncompressedSize
      if (total > limits.totalBytes) tooLarge(`it unpacks to more than ${total} bytes`, limits)
      yield {
        name: found.fileName,
        bytes: found.uncompressedSize,
        text: () => readTextOf(zip, found),
      }
    }
  } finally {
    zip.close()
  }
}

async function openZip(path: string, expected: string): Promise<ZipFile> {
  const start = await beginningOf(path).catch((cause) => {
    throw explainSystemError(cause, path)
  })
  if (start === '') throw unsound('the file is empty; download it again')
  if (/^\s*</.test(start)) {
    throw unsound('the file is a web page and no zip archive; download the archive itself')
  }
  if (!start.startsWith('PK')) {
    throw unsound(`the file is no zip archive; give ${expected}`)
  }
  return openPromise(path, { autoClose: false }).catch((cause) => {
    throw unsound('the end of the archive is missing or damaged; download it again', cause)
  })
}

/** Returns the first characters of a file. Archives and web pages start with ASCII. */
async function beginningOf(path: string): Promise<string> {
  const file = await open(path)
  try {
    const start = Buffer.alloc(16)
    const { bytesRead } = await file.read(start, 0, start.length, 0)
    return start.toString('latin1', 0, bytesRead)
  } finally {
    await file.close()
  }
}

async function nextOf(entries: AsyncIterator<Entry>): Promise<Entry | undefined> {
  try {
    const { done, value } = await entries.next()
    return done ? undefined : value
  } catch (cause) {
    throw unsound('the list of the files in the archive is damaged; download it again', cause)
  }
}

function checkSizes({ fileName, ...sizes }: Entry, limits: ZipLimits): void {
  const { compressedSize, uncompressedSize } = sizes
  if (uncompressedSize > limits.entryBytes) {
    tooLarge(`"${fileName}" unpacks to ${uncompressedSize} bytes`, limits)
  }
  if (uncompressedSize > compressedSize * limits.ratio) {
    tooLarge(`"${fileName}" unpacks to more than ${limits.ratio} times its size`, limits)
  }
}

async function readTextOf(zip: ZipFile, entry: Entry): Promise<string> {
  const chunks: Buffer[] = []
  const name = JSON.stringify(entry.fileName)
  if (entry.isEncrypted()) {
    throw unsound(`${name} is encrypted; give an archive without a password`)
  }
  try {
    for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk)
    const bytes = Buffer.concat(chunks)
    if (crc32(bytes) !== entry.crc32) throw new Error(`${name} has another checksum`)
    return utf8Text(bytes)
  } catch (cause) {
    if (cause instanceof FormatError) throw unsound(`${name}: ${cause.message}`, cause)
    throw unsound(`${name} is cut off or damaged; download the archive again`, cause)
  }
}

function tooLarge(what: string, { entries, entryBytes, totalBytes, ratio }: ZipLimits): never {
  const limits = `${entries} entries of ${entryBytes} bytes, ${totalBytes} in all, ratio ${ratio}`
  throw new EngineError('too_large', `the archive is over the limits: ${what}; limits: ${limits}`)
}

function unsound(message: string, cause?: unknown): EngineError {
  return new EngineError('corrupt_source', message, { cause })
}
