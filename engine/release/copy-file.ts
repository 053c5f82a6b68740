import { createReadStream, createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { crc32 } from 'node:zlib'
import type { WrittenFile } from '../store/array-file.ts'

/** Copies a file and tells what has to be on record of it. */
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
