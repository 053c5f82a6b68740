import { crc32, deflateRawSync } from 'node:zlib'
import { Zip, type ZipInputFile } from 'fflate'
import { LoopTurns } from '../concurrency/loop-turns.ts'

/** A file of an archive. Its text is generated while it is written. */
export interface ZipText {
  readonly name: string
  text(): string
}

/** Readers reject a file with a larger compression ratio as a possible zip bomb. */
const MAX_RATIO = 50
/** Earliest date that the format allows. A fixed date makes archives of equal files equal. */
const MODIFIED = new Date(1980, 0, 1)
const DEFLATED = 8

/** Yields the bytes of a zip archive file by file, and yields to the event loop in between. */
export async function* zipStream(
  files: Iterable<ZipText>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const turns = new LoopTurns()
  const chunks: Uint8Array[] = []
  const zip = new Zip((error, chunk) => {
    if (error) throw error
    chunks.push(chunk)
  })
  for (const { name, text } of files) {
    addFile(zip, name, Buffer.from(text()))
    yield Buffer.concat(chunks.splice(0))
    await turns.pause()
  }
  zip.end()
  yield Buffer.concat(chunks.splice(0))
}

function addFile(zip: Zip, filename: string, bytes: Buffer): void {
  const facts = { filename, size: bytes.length, crc: crc32(bytes), mtime: MODIFIED }
  const file: ZipInputFile = { ...facts, compression: DEFLATED }
  zip.add(file)
  file.ondata?.(null, packed(bytes), true)
}

function packed(bytes: Buffer): Uint8Array<ArrayBuffer> {
  const small = deflateRawSync(bytes)
  return bytes.length > MAX_RATIO * small.length ? deflateRawSync(bytes, { level: 0 }) : small
}
