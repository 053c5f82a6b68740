import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import {
  type ArraySchema,
  type ArraysOf,
  damagedArrays as damage,
  type ElementKind,
  KINDS,
  ofSchema,
} from './array-schema.ts'
import {
  type ColumnsOf,
  columnsOf,
  PAGE_ROWS,
  type PageableColumn,
  PagedColumn,
} from './paged-column.ts'

const MAGIC = 'CASEMILL'
const HEAD_BYTES = 24

/** Bytes to read and add to the checksum in one step, which takes a fraction of a millisecond. */
const CHUNK_BYTES = 1 << 20

interface Placed {
  readonly name: string
  readonly kind: ElementKind
  readonly offset: number
  readonly length: number
}

/** Size and checksum of a written file. */
export interface WrittenFile {
  readonly bytes: number
  /** CRC32 of the whole file. */
  readonly crc32: number
}

interface WriteOptions {
  /** Whether to sync the file. If false, the caller must sync it before relying on it. */
  readonly sync?: boolean
}

/**
 * Writes named columns and a JSON description to one file. Layout: magic, lengths, a CRC32 of everything
 * after the head, the JSON, then the columns at multiples of 8 bytes so that they can be viewed in place. The
 * file gets its name only when it is complete. Paged columns are read page by page, twice.
 */
export async function writeArrays(
  path: string,
  facts: object,
  arrays: Readonly<Record<string, PageableColumn>>,
  { sync = true }: WriteOptions = {},
): Promise<WrittenFile> {
  const places: Placed[] = []
  let offset = 0
  for (const [name, array] of Object.entries(arrays)) {
    const kind = kindOf(array)
    places.push({ name, kind, offset, length: array.length })
    offset += Math.ceil(array.byteLength / 8) * 8
  }
  const json = Buffer.from(JSON.stringify({ facts, places }))
  const text = Buffer.alloc(Math.ceil((HEAD_BYTES + json.length) / 8) * 8 - HEAD_BYTES, ' ')
  json.copy(text)
  function* parts(): Generator<Uint8Array> {
    yield text
    for (const array of Object.values(arrays)) {
      if (array instanceof PagedColumn) yield* array.parts()
      else yield new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
      const padding = -array.byteLength & 7
      if (padding) yield new Uint8Array(padding)
    }
  }
  let checksum = 0
  let inTurn = 0
  for (const part of parts()) {
    checksum = crc32(part, checksum)
    inTurn += part.length
    if (inTurn < CHUNK_BYTES) continue
    inTurn = 0
    await nextTurn()
  }
  const head = Buffer.alloc(HEAD_BYTES)
  head.write(MAGIC, 0, 'latin1')
  head.writeUInt32LE(1, 8)
  head.writeUInt32LE(checksum, 12)
  head.writeUInt32LE(text.length, 16)

  let whole = crc32(head)
  await writeComplete(path, async (file) => {
    await file.writeFile(head)
    for (const part of parts()) {
      await file.writeFile(part)
      whole = crc32(part, whole)
    }
    if (sync) await file.sync()
  })
  return { bytes: HEAD_BYTES + text.length + offset, crc32: whole }
}

const kindOf = (array: PageableColumn): ElementKind =>
  array instanceof PagedColumn ? array.kind : (array.constructor.name as ElementKind)

/** Writes a file that gets its name only when it is complete. A failed write leaves nothing behind. */
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
  /** Whether to read into one SharedArrayBuffer, so that threads can use the arrays without a copy. */
  readonly shared?: boolean
  /** Memory to read into. It must have the size of the file and start at a multiple of 8 bytes. */
  readonly target?: Uint8Array<SharedArrayBuffer>
  /** CRC32 of the whole file, if it is recorded elsewhere. It is compared instead of the checksum in the file. */
  readonly crc32?: number | undefined
}

/**
 * Reads a file that writeArrays wrote. The arrays are views of the bytes that were read. Arrays that the schema
 * does not name are left out, because a later version may have added them.
 * @throws EngineError `corrupt_source` if any byte differs from what was written, or if an array of the schema
 *   is missing or of another kind
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
  const { facts, places } = describedIn(bytes, bytes.length, checksum, options.crc32)
  const arrays = places.map(({ name, kind, offset, length }) => {
    return [name, new KINDS[kind](bytes.buffer, bytes.byteOffset + offset, length)] as const
  })
  return { facts, arrays: ofSchema(Object.fromEntries(arrays), schema) }
}

/** A file of writeArrays whose columns are read by pages. */
interface OpenArrays<Schema extends ArraySchema> {
  readonly facts: Readonly<Record<string, unknown>>
  readonly columns: ColumnsOf<Schema>
  /** Closes the file. The columns must not be used afterwards. */
  close(): Promise<void>
}

/**
 * Opens a file of writeArrays for reading by pages. Its bytes are compared with its checksum once, and not
 * kept.
 * @throws EngineError `corrupt_source` as readArrays
 */
export async function openArrays<Schema extends ArraySchema>(
  path: string,
  schema: Schema,
): Promise<OpenArrays<Schema>> {
  const file = await open(path, 'r')
  try {
    const { size } = await file.stat()
    const chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES)
    let checksum = 0
    for (let at = HEAD_BYTES; at < size; at += CHUNK_BYTES) {
      const part = chunk.subarray(0, size - at)
      await fill(file, part, at)
      checksum = crc32(part, checksum)
    }
    const head = Buffer.alloc(HEAD_BYTES)
    await fill(file, head, 0)
    const start = Buffer.alloc(Math.min(size, HEAD_BYTES + head.readUInt32LE(16)))
    await fill(file, start, 0)
    const { facts, places } = describedIn(start, size, checksum)
    const columns = places.map(({ name, kind, offset, length }) => {
      const pageBytes = PAGE_ROWS * KINDS[kind].BYTES_PER_ELEMENT
      const placeOf = (page: number) => offset + page * pageBytes
      return [name, new PagedColumn({ descriptor: file.fd, kind, length, placeOf })] as const
    })
    const found = columnsOf(Object.fromEntries(columns), schema)
    return { facts, columns: found, close: () => file.close() }
  } catch (error) {
    await file.close()
    throw error
  }
}

/**
 * Returns the facts of a file and where its arrays are, as offsets in the file.
 * @param start beginning of the file, with its description
 * @param checksum CRC32 of what `whole` is of, otherwise of everything after the head
 * @throws EngineError `corrupt_source` if the file is damaged
 */
function describedIn(start: Buffer, size: number, checksum: number, whole?: number) {
  if (start.length < HEAD_BYTES || start.toString('latin1', 0, 8) !== MAGIC) {
    throw damage('it does not start like one')
  }
  if (start.readUInt32LE(8) !== 1) throw damage(`its version is ${start.readUInt32LE(8)}, not 1`)
  if (checksum !== (whole ?? start.readUInt32LE(12))) throw damage('its CRC32 is wrong')
  const body = HEAD_BYTES + start.readUInt32LE(16)
  const { facts, places, length: end } = parseText(start.subarray(HEAD_BYTES, body))
  // The CRC32 does not cover the head. The sizes only add up if its text length is right.
  if (start.readUInt32LE(20) !== 0 || body + end !== size) throw damage('its head is wrong')
  // A later version may have written element kinds that this version cannot read.
  const known = places.filter(({ kind }) => Object.hasOwn(KINDS, kind))
  return { facts, places: known.map((place) => ({ ...place, offset: body + place.offset })) }
}

/** A stored file of any storage. */
interface ReadableFile {
  readonly identity: { readonly size: number }
  read(into: Uint8Array, position: number): Promise<number>
}

/**
 * Returns the names of the arrays in a file. Reads only its beginning and verifies no checksum.
 * @throws EngineError `corrupt_source` if the file is not an array file
 */
export async function arrayNames(file: ReadableFile): Promise<readonly string[]> {
  const head = Buffer.alloc(HEAD_BYTES)
  await file.read(head, 0)
  if (head.toString('latin1', 0, 8) !== MAGIC) throw damage('it does not start like one')
  const text = Buffer.alloc(Math.min(head.readUInt32LE(16), file.identity.size))
  await file.read(text, HEAD_BYTES)
  return parseText(text).places.map(({ name }) => name)
}

/**
 * Reads a whole file and computes its CRC32: of all bytes if `crc32` is given, otherwise of the bytes after the
 * head.
 * @throws EngineError `corrupt_source` if the file is shorter or longer than `target`
 */
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

/** Fills the buffer from a file. If the file was truncated, the rest is unchanged and the checksum fails. */
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
