import { crc32 } from 'node:zlib'
import { type Data, MessageReader, RecordBatchReader } from 'apache-arrow'
import { EngineError } from '../../../shared/errors.ts'
import type { Job, Scratch } from '../../../shared/executor.ts'
import { METADATA_KEY } from './matrix-format.ts'
import { readFully } from './read-fully.ts'

interface BatchToRead {
  readonly descriptor: number
  /** File offset of the batch in bytes. */
  readonly position: number
  /** CRC32 of the file up to `position`. */
  readonly checksum: number
  /** Arrow schema message with the columns of the file, without metadata. */
  readonly schema: Uint8Array
}

interface BatchFacts {
  /** File offset of the next message in bytes. */
  readonly end: number
  /** CRC32 of the file up to `end`. */
  readonly checksum: number
  readonly geneIds: readonly string[]
  readonly symbols: readonly (string | null)[]
  /** File offset of the values in bytes. `crc32` is their checksum. */
  readonly position: number
  readonly bytes: number
  readonly crc32: number
}

/**
 * Reads a record batch and finds where its values are. Returns undefined after the last batch.
 * @throws EngineError corrupt_source for an invalid batch
 */
export const readBatchJob: Job<BatchToRead, BatchFacts | undefined> = {
  name: 'expression.read-batch',
  run({ descriptor, position, checksum, schema }, scratch) {
    const bytes = messageBytes(descriptor, position, scratch)
    if (bytes === undefined) return undefined
    // A schema message followed by a batch message is an Arrow stream, which the library can parse.
    const stream = scratch.bytes('expression.batch', schema.length + bytes)
    stream.set(schema)
    const message = stream.subarray(schema.length)
    readFully(descriptor, message, position)
    // Columns 0 to 2: gene id, symbol, and values as a list of fixed size, whose only child has the numbers.
    const [batch] = RecordBatchReader.from(stream)
    const children = batch?.getChildAt(2)?.data[0]?.children as readonly Data[] | undefined
    const values = children?.[0]?.values as Uint8Array | undefined
    // If the library has copied the values, their position in the file is unknown.
    if (!batch || !values || (values.length > 0 && values.buffer !== stream.buffer)) {
      throw new EngineError('corrupt_source', 'a batch has its values in an unknown place')
    }
    const column = (at: number) =>
      Array.from({ length: batch.numRows }, (_, i) => batch.getChildAt(at)?.get(i) as unknown)
    const found = new Uint8Array(values.buffer, values.byteOffset, values.byteLength)
    return {
      end: position + bytes,
      checksum: crc32(message, checksum),
      geneIds: column(0).map(String),
      symbols: column(1).map((symbol) => (typeof symbol === 'string' ? symbol : null)),
      position: position + values.byteOffset - message.byteOffset,
      bytes: found.length,
      crc32: crc32(found),
    }
  },
}

interface EndsToRead {
  readonly descriptor: number
  readonly bytes: number
}

interface EndsFacts {
  /** File offset of the first batch in bytes. */
  readonly end: number
  /** CRC32 of the file up to `end`. */
  readonly checksum: number
  /** Description of the matrix as JSON, from the schema metadata in the file's footer. */
  readonly metadata: string | undefined
}

/**
 * Reads the start and the footer of a matrix file, between which the record batches are.
 * @throws EngineError corrupt_source for an invalid file
 */
export const readEndsJob: Job<EndsToRead, EndsFacts> = {
  name: 'expression.read-ends',
  run({ descriptor, bytes }, scratch) {
    if (bytes < MAGIC_BYTES + TAIL_BYTES) throw noMatrix()
    const tail = scratch.bytes('expression.prefix', TAIL_BYTES)
    readFully(descriptor, tail, bytes - TAIL_BYTES)
    const length = tail.readUInt32LE(0) + TAIL_BYTES
    if (length > Math.min(bytes - MAGIC_BYTES, MAX_FOOTER_BYTES)) throw noMatrix()
    // The library reads only the footer here, so it is given a file without batches.
    const ends = Buffer.allocUnsafeSlow(MAGIC_BYTES + length)
    const magic = ends.subarray(0, MAGIC_BYTES)
    readFully(descriptor, magic, 0)
    readFully(descriptor, ends.subarray(MAGIC_BYTES), bytes - length)
    const { schema } = RecordBatchReader.from(ends).open()
    const metadata = schema.metadata.get(METADATA_KEY)
    // matrix-format.ts writes no schema message, so the first batch follows the magic. Files with another layout
    // are rejected.
    return { end: MAGIC_BYTES, checksum: crc32(magic), metadata }
  },
}

function noMatrix(): EngineError {
  return new EngineError('corrupt_source', 'the file has no footer')
}

/** Size in bytes of the Arrow magic with its padding. */
const MAGIC_BYTES = 8
/** Size in bytes of the file's end: the length of the footer, and the magic. */
const TAIL_BYTES = 10
/** Maximum size of the footer in bytes. It has a few hundred bytes per case. */
const MAX_FOOTER_BYTES = 1 << 30
/** Size in bytes of a message's prefix: the continuation mark and the metadata length. */
const PREFIX_BYTES = 8
const CONTINUATION = 0xffff_ffff
/** Maximum size of a batch's metadata in bytes. Three columns need a few hundred bytes. */
const MAX_BATCH_BYTES = 1 << 20

/** Returns the size in bytes of the batch message at a position, or undefined after the last batch. */
function messageBytes(descriptor: number, position: number, scratch: Scratch): number | undefined {
  const prefix = scratch.bytes('expression.prefix', PREFIX_BYTES)
  readFully(descriptor, prefix, position)
  const length = prefix.readUInt32LE(4)
  if (prefix.readUInt32LE(0) !== CONTINUATION || length > MAX_BATCH_BYTES) {
    throw new EngineError('corrupt_source', 'there is no message where one should be')
  }
  if (length === 0) return undefined
  const description = scratch.bytes('expression.description', PREFIX_BYTES + length)
  readFully(descriptor, description, position)
  const message = new MessageReader(description).readMessage()
  if (!message?.isRecordBatch()) {
    throw new EngineError('corrupt_source', 'there is another message among the batches')
  }
  return PREFIX_BYTES + length + message.bodyLength
}
