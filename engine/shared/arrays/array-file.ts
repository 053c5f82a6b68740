import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import {
  type ArraySchema,
  type ArraysOf,
  damagedArrays as damage,
  type ElementKind,
  type NumberArray,
  ofSchema,
} from './array-schema.ts'

const KINDS = { Uint8Array, Uint16Array, Uint32Array, Int32Array, Float64Array } as const
const MAGIC = 'CASEMILL'
const HEAD_BYTES = 24

/** Read and added to the checksum at a time: a fraction of a millisecond. */
const CHUNK_BYTES = 1 << 20

interface Placed {
  readonly name: string
  readonly kind: ElementKind
  readonly offset: number
  readonly length: number
}

/** A file as it lies on the disk. */
export interface WrittenFile {
  readonly bytes: number
  /** Over the whole file. */
  readonly crc32: number
}

export interface WriteOptions {
  /** False leaves it to the caller to have the bytes on the disk before they are relied on. */
  readonly sync?: boolean
}

/**
 * Writes named typed arrays and a JSON description into one file: magic, lengths, a CRC32 over all
 * that follows, the JSON, then the arrays at multiples of 8 so that they can be viewed in place.
 * The file appears under its name only when it is complete.
 */
export async function writeArrays(
  path: string,
  facts: object,
  arrays: Readonly<Record<string, NumberArray>>,
  { sync = true }: WriteOptions = {},
): Promise<WrittenFile> {
  const places: Placed[] = []
  let offset = 0
  for (const [name, array] of Object.entries(arrays)) {
    const kind = array.constructor.name as ElementKind
    places.push({ name, kind, offset, length: array.length })
    offset += Math.ceil(array.byteLength / 8) * 8
  }
  const json = Buffer.from(JSON.stringify({ facts, places }))
  const text = Buffer.alloc(Math.ceil((HEAD_BYTES + json.length) / 8) * 8 - HEAD_BYTES, ' ')
  json.copy(text)
  const parts: Uint8Array[] = [text]
  for (const array of Object.values(arrays)) {
    parts.push(new Uint8Array(array.buffer, array.byteOffset, array.byteLength))
    const padding = -array.byteLength & 7
    if (padding) parts.push(new Uint8Array(padding))
  }
  let checksum = 0
  for (const part of parts) checksum = crc32(part, checksum)
  const head = Buffer.alloc(HEAD_BYTES)
  head.write(MAGIC, 0, 'latin1')
  head.writeUInt32LE(1, 8)
  head.writeUInt32LE(checksum, 12)
  head.writeUInt32LE(text.length, 16)

  await writeComplete(path, async (file) => {
    for (const part of [head, ...parts]) await file.writeFile(part)
    if (sync) await file.sync()
  })
  let whole = crc32(head)
  for (const part of parts) whole = crc32(part, whole)
  return { bytes: HEAD_BYTES + text.length + offset, crc32: whole }
}

/** Writes a file that appears under its name only when it is complete; of a failure nothing stays. */
export async function writeComplete(
  path: string,
  write: (file: FileHandle) => Promise<void>,
): Promise<void> {
  const temporary = `${path}.${process.pid}.part`
  const file = await open(temporary, 'w')
  try {
    await write(file)
  } catch (error) {
    await file.close()
    await rm(temporary, { force: true })
    throw error
  }
  await file.close()
  await rename(temporary, path)
}

export interface ArrayFile<
  Schema extends ArraySchema,
  Buffer extends ArrayBufferLike = ArrayBufferLike,
> {
  readonly facts: Readonly<Record<string, unknown>>
  readonly arrays: ArraysOf<Schema, Buffer>
}

export interface ReadOptions {
  /** Puts everything into one SharedArrayBuffer, so that threads see the arrays without a copy. */
  readonly shared?: boolean
  /** Memory to read into, of exactly the file's size and at a multiple of 8. */
  readonly target?: Uint8Array<SharedArrayBuffer>
  /** Of the whole file, where that is on record elsewhere; the file must be that very one then. */
  readonly crc32?: number | undefined
}

/**
 * Reads what writeArrays wrote. The arrays are views of the bytes that were read. Arrays that the
 * schema does not name are left out: a later version may have written more.
 * @throws EngineError corrupt_source when any byte differs from what was written, or when an array of
 *   the schema is missing or of another kind
 */
export async function readArrays<Schema extends ArraySchema>(
  path: string,
  schema: Schema,
): Promise<ArrayFile<Schema, ArrayBuffer>>
export async function readArrays<Schema extends ArraySchema>(
  path: string,
  schema: Schema,
  options: ReadOptions,
): Promise<ArrayFile<Schema>>
export async function readArrays<Schema extends ArraySchema>(
  path: string,
  schema: Schema,
  options: ReadOptions = {},
): Promise<ArrayFile<Schema>> {
  const { bytes, checksum } = await readWhole(path, options)
  if (bytes.length < HEAD_BYTES || bytes.toString('latin1', 0, 8) !== MAGIC) {
    throw damage('it does not start like one')
  }
  if (bytes.readUInt32LE(8) !== 1) throw damage(`its version is ${bytes.readUInt32LE(8)}, not 1`)
  const expected = options.crc32 ?? bytes.readUInt32LE(12)
  if (checksum !== expected) throw damage('its CRC32 is wrong')
  const body = HEAD_BYTES + bytes.readUInt32LE(16)
  const { facts, places, length: end } = parseText(bytes.subarray(HEAD_BYTES, body))
  // The head itself is not in the checksum: only with the right text length does all of it add up.
  if (bytes.readUInt32LE(20) !== 0 || body + end !== bytes.length) throw damage('its head is wrong')
  // A later version may have written kinds that this one does not know.
  const known = places.filter(({ kind }) => Object.hasOwn(KINDS, kind))
  const arrays = known.map(({ name, kind, offset, length }) => {
    return [name, new KINDS[kind](bytes.buffer, bytes.byteOffset + body + offset, length)] as const
  })
  return { facts, arrays: ofSchema(Object.fromEntries(arrays), schema) }
}

/**
 * The names of the arrays in a file, by its beginning alone; nothing is proved.
 * @throws EngineError corrupt_source when it does not begin like one
 */
export async function arrayNames(path: string): Promise<readonly string[]> {
  const file = await open(path, 'r')
  try {
    const head = Buffer.alloc(HEAD_BYTES)
    await fill(file, head, 0)
    if (head.toString('latin1', 0, 8) !== MAGIC) throw damage('it does not start like one')
    const { size } = await file.stat()
    const text = Buffer.alloc(Math.min(head.readUInt32LE(16), size))
    await fill(file, text, HEAD_BYTES)
    return parseText(text).places.map(({ name }) => name)
  } finally {
    await file.close()
  }
}

/** All bytes, and the CRC32 of all, if that is expected, else of those behind the head. */
export async function readWhole(
  path: string,
  { shared = false, target, crc32: whole }: ReadOptions,
): Promise<{ readonly bytes: Buffer<ArrayBuffer>; readonly checksum: number }> {
  const file = await open(path, 'r')
  try {
    const { size } = await file.stat()
    const { buffer, byteOffset, length } =
      target ?? new Uint8Array(shared ? new SharedArrayBuffer(size) : new ArrayBuffer(size))
    if (length !== size) throw damage(`it has ${size} bytes, not ${length}`)
    const bytes = Buffer.from(buffer as ArrayBuffer, byteOffset, length)
    const head = bytes.subarray(0, HEAD_BYTES)
    await fill(file, head, 0)
    let checksum = whole === undefined ? 0 : crc32(head)
    for (let at = HEAD_BYTES; at < size; at += CHUNK_BYTES) {
      const chunk = bytes.subarray(at, at + CHUNK_BYTES)
      await fill(file, chunk, at)
      checksum = crc32(chunk, checksum)
    }
    return { bytes, checksum }
  } finally {
    await file.close()
  }
}

/** A file that became shorter meanwhile leaves what was there; the checksum does not forgive it. */
async function fill(file: FileHandle, into: Buffer, position: number): Promise<void> {
  for (let filled = 0; filled < into.length; ) {
    const { bytesRead } = await file.read(into, filled, into.length - filled, position + filled)
    if (bytesRead === 0) return
    filled += bytesRead
  }
}

function parseText(text: Buffer) {
  try {
    const parsed = JSON.parse(text.toString('utf8')) as {
      facts: Record<string, unknown>
      places: Placed[]
    }
    const last = parsed.places.at(-1)
    const bytes = last ? last.offset + last.length * KINDS[last.kind].BYTES_PER_ELEMENT : 0
    return { ...parsed, length: Math.ceil(bytes / 8) * 8 }
  } catch {
    throw damage('its description cannot be read')
  }
}
