import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import type { OpenBlob } from '../../shared/blobs/blob.ts'
import type { ObjectFolder } from '../../shared/blobs/object-folder.ts'
import { EngineError } from '../../shared/errors.ts'
import { isObject } from '../../shared/input/unknowns.ts'
import type { ListedRelease } from './offers.ts'

/** Folder of release objects in the bucket. They are named after their content: `<sha256>-<bytes>`. */
export const RELEASE_OBJECTS = 'releases'

/** Size and hash of a file's bytes. They identify the file in the bucket and are used to verify it. */
export interface Content {
  readonly bytes: number
  /** SHA-256 in hex. */
  readonly sha256: string
}

/** All files of a release by path, including `manifest.json`. The list itself is also stored as an object. */
export interface ReleaseContents {
  readonly format: 1
  readonly id: string
  readonly files: Readonly<Record<string, Content>>
}

/** Number of bytes per read. A few reads run concurrently. */
const READ_BYTES = 4 << 20
/** Size limit of a file list, enough for a release with a million columns. */
const MAX_CONTENTS_BYTES = 256 << 20

/** Returns the object name of some content. */
export const objectName = ({ sha256, bytes }: Content) => `${sha256}-${bytes}`

/** Returns the content that is the file list of a release. */
export const listOf = ({ manifestBytes, manifestSha256 }: ListedRelease): Content => ({
  bytes: manifestBytes,
  sha256: manifestSha256,
})

export function sha256Of(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** Serialises the list. Equal lists give equal text. */
export function contentsText({ id, files }: ReleaseContents): string {
  const sorted = Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1))
  return `${JSON.stringify({ format: 1, id, files: Object.fromEntries(sorted) })}\n`
}

/**
 * Fetches the file list of a release from the bucket.
 * @throws EngineError corrupt_source if it is not the offered list; unavailable
 */
export async function fetchContents(
  bucket: ObjectFolder,
  offer: ListedRelease,
  signal?: AbortSignal,
): Promise<{ readonly contents: ReleaseContents; readonly text: string }> {
  const { id } = offer
  const { bytes, sha256 } = listOf(offer)
  if (bytes > MAX_CONTENTS_BYTES) throw wrong(id, `has ${bytes} bytes`)
  const blob = await bucket.open(objectName({ bytes, sha256 }))
  try {
    if (blob.identity.size !== bytes) throw wrong(id, `has ${blob.identity.size} of ${bytes} bytes`)
    const text = Buffer.alloc(bytes)
    await blob.read(text, 0, { signal })
    return { contents: readContents(text, offer), text: text.toString('utf8') }
  } finally {
    await blob.close()
  }
}

/**
 * Parses a file list and verifies it against the offer.
 * @throws EngineError corrupt_source if the bytes are not those offered
 */
export function readContents(text: Uint8Array, offer: ListedRelease): ReleaseContents {
  if (sha256Of(text) !== offer.manifestSha256) throw wrong(offer.id, 'is not what was offered')
  const contents: unknown = JSON.parse(Buffer.from(text).toString('utf8'))
  if (isContents(contents) && contents.id === offer.id) return contents
  throw wrong(offer.id, 'is in a form that this casemill does not know')
}

/**
 * Returns whether a value is a file list. A path must not lead out of the release, because who writes to the
 * database and the bucket must not be able to write files elsewhere on a node.
 */
function isContents(value: unknown): value is ReleaseContents {
  if (!isObject(value) || value.format !== 1 || !isObject(value.files)) return false
  return Object.entries(value.files).every(
    ([path, content]) =>
      path.split('/').every((name) => /^[^\\\0]+$/.test(name) && !/^\.{1,2}$/.test(name)) &&
      isObject(content) &&
      Number.isSafeInteger(content.bytes) &&
      /^[0-9a-f]{64}$/.test(String(content.sha256)),
  )
}

function wrong(id: string, why: string): EngineError {
  return new EngineError('corrupt_source', `the list of files of release "${id}" ${why}`)
}

/** Returns the size, SHA-256 and CRC32 of a local file. */
export async function contentOf(
  path: string,
  signal?: AbortSignal,
): Promise<Content & { readonly crc32: number }> {
  const file = await open(path, 'r')
  try {
    const buffer = Buffer.allocUnsafeSlow(READ_BYTES)
    const hash = createHash('sha256')
    let bytes = 0
    let checksum = 0
    for (;;) {
      signal?.throwIfAborted()
      const { bytesRead } = await file.read(buffer, 0, buffer.length)
      if (bytesRead === 0) return { bytes, sha256: hash.digest('hex'), crc32: checksum }
      const read = buffer.subarray(0, bytesRead)
      hash.update(read)
      checksum = crc32(read, checksum)
      bytes += bytesRead
    }
  } finally {
    await file.close()
  }
}

/** Writes an object to a new file. Returns the content that was written. */
export async function writeBlob(
  blob: OpenBlob,
  path: string,
  {
    signal,
    onBytes,
  }: {
    readonly signal?: AbortSignal | undefined
    readonly onBytes?: ((bytes: number) => void) | undefined
  },
): Promise<Content> {
  const { size } = blob.identity
  const file = await open(path, 'w')
  try {
    const buffer = Buffer.allocUnsafeSlow(Math.min(size, READ_BYTES))
    const hash = createHash('sha256')
    for (let at = 0; at < size; ) {
      const part = buffer.subarray(0, Math.min(buffer.length, size - at))
      const length = await blob.read(part, at, { signal })
      const read = part.subarray(0, length)
      hash.update(read)
      await file.writeFile(read)
      onBytes?.(length)
      at += length
    }
    await file.sync()
    return { bytes: size, sha256: hash.digest('hex') }
  } finally {
    await file.close()
  }
}
