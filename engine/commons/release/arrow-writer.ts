import { crc32 } from 'node:zlib'
import {
  type Data,
  Dictionary,
  Field,
  FixedSizeBinary,
  Float64,
  type Int,
  Int32,
  List,
  makeData,
  makeVector,
  RecordBatch,
  RecordBatchFileWriter,
  Schema,
  Struct,
  Uint8,
  Uint16,
  Uint32,
  Utf8,
} from 'apache-arrow'
import { type WrittenFile, writeComplete } from '../../shared/arrays/array-file.ts'
import type { ElementKind, NumberArray } from '../../shared/arrays/array-schema.ts'
import { FACTS_KEY, VALUES_FIELD } from './arrow-form.ts'
import type { ColumnArrays } from './layout.ts'
import { PACKED_BYTES } from './text-form.ts'

// Writes a release's array files as Arrow IPC files. arrow-form.ts describes their contents.

/**
 * Writes named arrays to an Arrow IPC file, which gets its name when it is complete. The caller syncs it to
 * disk.
 * @param facts JSON object stored in the schema's metadata; for a column of packed texts, `form` is their TextForm
 * @param arrays those of a column if they include `numbers` or `bytes`: `codes`, `offsets`, `numbers`, `ends` and
 *   `bytes` then become its field `values`; every other array becomes a list of its own
 */
export async function writeArrowArrays(
  path: string,
  facts: Readonly<Record<string, unknown>>,
  arrays: Readonly<Record<string, NumberArray>>,
): Promise<WrittenFile> {
  const { numbers, bytes, codes, offsets, ends, ...others } = arrays
  const isColumn = numbers !== undefined || bytes !== undefined
  // The cast is safe, because callers pass the arrays of a column as in COLUMN_ARRAYS.
  const values = { codes, offsets, numbers, ends, bytes, form: facts.form } as ColumnValues
  const lists = Object.entries(isColumn ? others : arrays)
  const parts = [
    ...(isColumn ? [valuesPart(values)] : []),
    ...lists.map(([name, array]) => listPart(name, plainData(array))),
  ]
  const fields = parts.map(({ field }) => field)
  const schema = new Schema(fields, new Map([[FACTS_KEY, JSON.stringify(facts)]]))
  const children = parts.map(({ data }) => data)
  const row = makeData({ type: new Struct(fields), length: 1, nullCount: 0, children })
  return writeBatch(path, new RecordBatch(schema, row))
}

interface ColumnValues
  extends Pick<ColumnArrays, 'codes' | 'offsets' | 'numbers' | 'ends' | 'bytes'> {
  /** Form of the entries. Undefined if they are not packed. */
  readonly form?: string | undefined
}

interface Part {
  readonly field: Field
  readonly data: Data
}

/** Returns a field with a single row, which is a list of all elements. */
function listPart(name: string, child: Data, item = new Field('item', child.type, false)): Part {
  const type = new List(item)
  const data = makeData({
    type,
    length: 1,
    nullCount: 0,
    valueOffsets: Int32Array.of(0, child.length),
    child,
  })
  return { field: new Field(name, type, false), data }
}

const INTEGERS: Readonly<Record<Exclude<ElementKind, 'Float64Array'>, () => Int>> = {
  Uint8Array: () => new Uint8(),
  Uint16Array: () => new Uint16(),
  Uint32Array: () => new Uint32(),
  Int32Array: () => new Int32(),
}

const integerOf = (array: Exclude<NumberArray, Float64Array>): Int =>
  INTEGERS[array.constructor.name as keyof typeof INTEGERS]()

function plainData(array: NumberArray): Data {
  const { length } = array
  if (array instanceof Float64Array) {
    return makeData({ type: new Float64(), length, nullCount: 0, data: array })
  }
  return makeData({ type: integerOf(array), length, nullCount: 0, data: array })
}

function valuesPart({ codes, offsets, ...entries }: ColumnValues): Part {
  if (!codes) return listPart(VALUES_FIELD, entriesData(entries, 0))
  const dictionary = entriesData(entries, 1)
  // Codes are below 2^32 and unsigned.
  const type = new Dictionary(dictionary.type, integerOf(codes) as Uint8 | Uint16 | Uint32, 0)
  const coded: Data = makeData({
    type,
    length: codes.length,
    nullCount: 0,
    data: codes,
    dictionary: makeVector(dictionary),
  })
  const item = new Field('item', type, true)
  if (!offsets) return listPart(VALUES_FIELD, coded, item)
  const lists: Data = makeData({
    type: new List(item) as List,
    length: offsets.length - 1,
    nullCount: 0,
    valueOffsets: signed(offsets),
    child: coded as Data,
  })
  return listPart(VALUES_FIELD, lists)
}

/**
 * Returns the entries of the dictionary. Packed entries are not marked as Arrow UUIDs, because nodejs-polars
 * cannot read these.
 * @param first 1 to put a null entry first, to which code 0 refers; 0 for no such entry
 */
function entriesData(
  { numbers, ends, bytes, form }: Omit<ColumnValues, 'codes' | 'offsets'>,
  first: 0 | 1,
): Data {
  const nullsOf = (length: number) =>
    first === 1 ? { nullCount: 1, nullBitmap: allButFirst(length) } : { nullCount: 0 }
  if (numbers) {
    const data = new Float64Array(numbers.length + first)
    data.set(numbers, first)
    return makeData({ type: new Float64(), length: data.length, ...nullsOf(data.length), data })
  }
  if (form !== undefined) {
    const packed = bytes ?? new Uint8Array(0)
    const data = new Uint8Array(packed.length + first * PACKED_BYTES)
    data.set(packed, first * PACKED_BYTES)
    const length = data.length / PACKED_BYTES
    return makeData({ type: new FixedSizeBinary(PACKED_BYTES), length, ...nullsOf(length), data })
  }
  // Starts with 0, so it has one element more than there are texts.
  const own = ends ?? new Uint32Array(1)
  const valueOffsets = new Int32Array(own.length + first)
  valueOffsets.set(own, first)
  const length = valueOffsets.length - 1
  const data = bytes ?? new Uint8Array(0)
  return makeData({ type: new Utf8(), length, ...nullsOf(length), valueOffsets, data })
}

/** Returns a bitmap with one bit per entry. All bits are set except the first. */
function allButFirst(length: number): Uint8Array {
  const bits = new Uint8Array((length + 7) >>> 3).fill(0xff)
  bits[0] = 0xfe
  return bits
}

/** Reinterprets unsigned offsets as signed. Offsets are below 2^31, so their bits are the same. */
const signed = ({ buffer, byteOffset, length }: Uint32Array) =>
  new Int32Array(buffer, byteOffset, length)

/** Parts below this size in bytes are joined into one write, because a file has many parts of a few bytes. */
const SMALL_BYTES = 1 << 16

/** Writes a batch. Large arrays are written without being copied. */
async function writeBatch(path: string, batch: RecordBatch): Promise<WrittenFile> {
  const writer = new RecordBatchFileWriter()
  writer.write(batch)
  writer.finish()
  let bytes = 0
  let checksum = 0
  await writeComplete(path, async (file) => {
    const small: Uint8Array[] = []
    const write = async (part: Uint8Array) => {
      if (part.length > 0) await file.writeFile(part)
      bytes += part.length
      checksum = crc32(part, checksum)
    }
    const writeSmall = () => write(Buffer.concat(small.splice(0)))
    for await (const part of writer) {
      if (part.length < SMALL_BYTES) {
        small.push(part)
        continue
      }
      await writeSmall()
      await write(part)
    }
    await writeSmall()
  })
  return { bytes, crc32: checksum }
}
