import { createReadStream, createWriteStream } from 'node:fs'
import { link } from 'node:fs/promises'
import { basename } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { crc32 } from 'node:zlib'
import type { WrittenFile } from '../../shared/arrays/array-file.ts'
import { damage } from './manifest.ts'

/** Copies a file. Returns its size and CRC32. */
export async function copyFile(from: string, to: string): Promise<WrittenFile> {
  let bytes = 0
  let checksum = 0
  await pipeline(
    createReadStream(from),
    async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        bytes += chunk.length
        checksum = crc32(chunk, checksum)
        yield chunk
      }
    },
    createWriteStream(to, { flags: 'wx' }),
  )
  return { bytes, crc32: checksum }
}

/**
 * Gives a file a second name by a hard link, or copies it if linking fails.
 * @throws EngineError corrupt_source if the copy differs from the recorded size or CRC32
 */
export async function linkFile(from: string, to: string, written: WrittenFile): Promise<void> {
  try {
    await link(from, to)
  } catch {
    // Linking may fail for many reasons (another disk, no support for links, too many links). A copy always works.
    const copied = await copyFile(from, to)
    if (copied.bytes === written.bytes && copied.crc32 === written.crc32) return
    throw damage(basename(from), 'is not what was written')
  }
}
