import { Type } from 'apache-arrow/enum'
import { type FileBlock, Footer } from 'apache-arrow/ipc/metadata/file'
import { Message, type RecordBatch } from 'apache-arrow/ipc/metadata/message'
import type { Field } from 'apache-arrow/schema'
import { type ArrayFile, type ReadOptions, readWhole } from '../../shared/arrays/array-file.ts'
import {
  type ArraySchema,
  damagedArrays as damage,
  ofSchema,
} from '../../shared/arrays/array-schema.ts'
import { EngineError } from '../../shared/errors.ts'
import { ARROW_MAGIC, FACTS_KEY, VALUES_FIELD } from './arrow-form.ts'
import { PACKED_BYTES } from './text-form.ts'

// Only the metadata part of the library is loaded, which takes a third of the time. Arrays are views of the
// bytes at the positions given by the metadata.

/**
 * Reads a file of writeArrowArrays, as readArrays reads its own format. The arrays are views of the bytes.
 * Arrays that are not in the schema are skipped. Modified bytes could make the library read endlessly, so a file
 * may be read without its CRC32 only if it has just been written.
 * @throws EngineError corrupt_source if the CRC32 differs, the file is invalid, or an array of the schema is
 *   missing or of another type
 */
export async function readArrowArrays<Schema extends ArraySchema>(
  path: string,
  schema: Schema,
  options: ReadOptions = {},
): Promise<ArrayFile<Schema>> {
  const { bytes, checksum } = await readWhole(path, options)
  if (options.crc32 !== undefined && checksum !== options.crc32) throw damage('its CRC32 is wrong')
  try {
    const { facts, arrays } = viewsOf(bytes)
    return { facts, arrays: ofSchema(arrays, schema) }
  } catch (cause) {
    // An error of the library, for bytes that are not an Arrow file.
    if (cause instanceof EngineError) throw cause
    throw damage('it is no Arrow file of a release')
  }
}

type View = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array

/** Bytes after the footer: its length and the magic. */
const TAIL_BYTES = ARROW_MAGIC.length + 4

function viewsOf(bytes: Buffer) {
  const end = bytes.length - TAIL_BYTES
  const isArrow =
    end > 0 &&
    bytes.toString('latin1', 0, ARROW_MAGIC.length) === ARROW_MAGIC &&
    bytes.toString('latin1', end + 4) === ARROW_MAGIC
  if (!isArrow) throw damage('it does not start and end like an Arrow file')
  const footer = Footer.decode(unshared(bytes, end - bytes.readInt32LE(end), end))
  const { fields, metadata } = footer.schema
  const facts = JSON.parse(metadata.get(FACTS_KEY) ?? '') as Readonly<Record<string, unknown>>
  const rows = batchAt(bytes, footer.getRecordBatch(0))
  const [entries] = [...footer.dictionaryBatches()].map((block) => batchAt(bytes, block))
  const arrays: Record<string, View> = {}
  for (const field of fields) {
    // The field has a single row, whose list starts at 0 and has all elements.
    rows.list()
    const item = itemOf(field)
    if (field.name === VALUES_FIELD) Object.assign(arrays, valuesOf(item, rows, entries))
    else arrays[field.name] = rows.numbers(item.type)
  }
  return { facts, arrays }
}

/** Returns the arrays that make up a column's values. */
function valuesOf(item: Field, rows: Batch, entries: Batch | undefined): Record<string, View> {
  if (item.typeId === Type.List) {
    const { offsets } = rows.list()
    return { offsets, ...valuesOf(itemOf(item), rows, entries) }
  }
  if (item.typeId !== Type.Dictionary) return rows.entries(item.type, 0)
  if (!entries) throw damage('it has no dictionary')
  const { indices, dictionary } = item.type as unknown as {
    readonly indices: Field['type']
    readonly dictionary: Field['type']
  }
  return { codes: rows.numbers(indices), ...entries.entries(dictionary, 1) }
}

const itemOf = (field: Field): Field => {
  const [item] = field.type.children ?? []
  if (field.typeId !== Type.List || !item) throw damage(`its field "${field.name}" is no list`)
  return item
}

function batchAt(bytes: Buffer, block: FileBlock | null): Batch {
  if (!block) throw damage('it has no record batch')
  const { offset, metaDataLength } = block
  const body = offset + metaDataLength
  // The metadata follows a continuation marker and its length.
  const message = Message.decode(unshared(bytes, offset + 8, body))
  const header = message.header()
  return new Batch(bytes, body, 'data' in header ? header.data : (header as RecordBatch))
}

/** Copies bytes, because text cannot be decoded from shared memory. */
const unshared = (bytes: Buffer, start: number, end: number): Uint8Array =>
  Uint8Array.from(bytes.subarray(start, end))

/** Takes the arrays of a record batch in their order in the file. */
class Batch {
  readonly #bytes: Buffer
  readonly #body: number
  readonly #batch: RecordBatch
  #node = 0
  #buffer = 0

  constructor(bytes: Buffer, body: number, batch: RecordBatch) {
    this.#bytes = bytes
    this.#body = body
    this.#batch = batch
  }

  /** Returns the offsets of a list. The elements of the list are read next. */
  list(): { readonly offsets: Uint32Array } {
    const length = this.#begin()
    return { offsets: this.#view(Uint32Array, length + 1) }
  }

  numbers({ typeId, bitWidth, isSigned }: NumberType): View {
    const length = this.#begin()
    if (typeId === Type.Float) return this.#view(Float64Array, length)
    if (typeId !== Type.Int) throw damage('it has an array that is not of numbers')
    if (isSigned) return this.#view(Int32Array, length)
    if (bitWidth === 8) return this.#view(Uint8Array, length)
    return bitWidth === 16 ? this.#view(Uint16Array, length) : this.#view(Uint32Array, length)
  }

  /** Returns the dictionary's entries from index `first` on. */
  entries({ typeId }: Field['type'], first: number): Record<string, View> {
    const length = this.#begin()
    switch (typeId) {
      case Type.Float:
        return { numbers: this.#view(Float64Array, length).subarray(first) }
      case Type.FixedSizeBinary: {
        const bytes = this.#view(Uint8Array, length * PACKED_BYTES)
        return { bytes: bytes.subarray(first * PACKED_BYTES) }
      }
      case Type.Utf8: {
        const ends = this.#view(Uint32Array, length + 1)
        const bytes = this.#view(Uint8Array, ends[length] ?? 0)
        return { ends: ends.subarray(first), bytes }
      }
      default:
        throw damage('it has a dictionary of neither numbers nor texts')
    }
  }

  /** Returns the number of elements that follow, and skips their validity bitmap. */
  #begin(): number {
    const { length } = this.#batch.nodes[this.#node++] ?? {}
    this.#buffer++
    if (length === undefined) throw damage('it has fewer arrays than fields')
    return length
  }

  #view<Kind extends View>(kind: KindOf<Kind>, length: number): Kind {
    const { offset = 0, length: bytes = -1 } = this.#batch.buffers[this.#buffer++] ?? {}
    const start = this.#body + offset
    if (length * kind.BYTES_PER_ELEMENT > bytes || start + bytes > this.#bytes.length) {
      throw damage('an array of it is longer than its bytes')
    }
    return new kind(this.#bytes.buffer, this.#bytes.byteOffset + start, length)
  }
}

interface KindOf<Kind> {
  readonly BYTES_PER_ELEMENT: number
  new (buffer: ArrayBufferLike, byteOffset: number, length: number): Kind
}

interface NumberType {
  readonly typeId: Type
  readonly bitWidth?: number
  readonly isSigned?: boolean
}
