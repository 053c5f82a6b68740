import { crc32 } from 'node:zlib'
import { type Data, MessageReader, RecordBatchReader } from 'apache-arrow'
import { EngineError } from '../../../shared/errors.ts'
import type { Job, Scratch } from '../../../shared/executor.ts'
import { METADATA_KEY } from './matrix-format.ts'
import { readFully } from './read-fully.ts'

export interface BatchToRead {
  readonly descriptor: number
  /** Of the batch in the file. */
  readonly position: number
  /** CRC32 of all that lies before it. */
  readonly checksum: number
  /** The message of a schema with the columns of the file, and none of its metadata. */
  readonly schema: Uint8Array
}

export interface BatchFacts {
  /** Where the next message begins. */
  readonly end: number
  /** CRC32 of all that lies before that. */
  readonly checksum: number
  readonly geneIds: readonly string[]
  readonly symbols: readonly (string | null)[]
  /** Where the values lie in the file, and their own CRC32. */
  readonly position: number
  readonly bytes: number
  readonly crc32: number
}

/**
 * Reads a record batch of a matrix and says where its values are; nothing when no batch is left. Fails
 * with `corrupt_source` for what is none.
 */
export const readBatchJob: Job<BatchToRead, BatchFacts | undefined> = {
  name: 'expression.read-batch',
  run({ descriptor, position, checksum, schema }, scratch) {
    const bytes = messageBytes(descriptor, position, scratch)
    if (bytes === undefined) return undefined
    // A schema and a batch are a stream.
    const stream = scratch.bytes('expression.batch', schema.length + bytes)
    stream.set(schema)
    const message = stream.subarray(schema.length)
    readFully(descriptor, message, position)
    const [batch] = RecordBatchReader.from(stream)
    const children = batch?.getChildAt(2)?.data[0]?.children as readonly Data[] | undefined
    const values = children?.[0]?.values as Uint8Array | undefined
    // What the library has copied lies in no place of the file.
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

export interface EndsToRead {
  readonly descriptor: number
  /** Of the file. */
  readonly bytes: number
}

export interface EndsFacts {
  /** Where the first batch begins. */
  readonly end: number
  /** CRC32 of all that lies before that. */
  readonly checksum: number
  /** What the matrix is of, as JSON; in the footer of the file. */
  readonly metadata: string | undefined
}

/** Reads what stands before and behind the batches of a matrix. Fails with `corrupt_source` for what is none. */
export const readEndsJob: Job<EndsToRead, EndsFacts> = {
  name: 'expression.read-ends',
  run({ descriptor, bytes }, scratch) {
    if (bytes < MAGIC_BYTES + TAIL_BYTES) throw noMatrix()
    const tail = scratch.bytes('expression.prefix', TAIL_BYTES)
    readFully(descriptor, tail, bytes - TAIL_BYTES)
    const length = tail.readUInt32LE(0) + TAIL_BYTES
    if (length > Math.min(bytes - MAGIC_BYTES, MAX_FOOTER_BYTES)) throw noMatrix()
    // A file without the batches, of which the library reads nothing but the footer.
    const ends = Buffer.allocUnsafeSlow(MAGIC_BYTES + length)
    const magic = ends.subarray(0, MAGIC_BYTES)
    readFully(descriptor, magic, 0)
    readFully(descriptor, ends.subarray(MAGIC_BYTES), bytes - length)
    const { schema } = RecordBatchReader.from(ends).open()
    const metadata = schema.metadata.get(METADATA_KEY)
    return { end: MAGIC_BYTES, checksum: crc32(magic), metadata }
  },
}

function noMatrix(): EngineError {
  return new EngineError('corrupt_source', 'the file has no footer')
}

/** The name of the format, padded. */
const MAGIC_BYTES = 8
/** The length of the footer, and the name once more. */
const TAIL_BYTES = 10
/** The footer has some hundred bytes of each case. */
const MAX_FOOTER_BYTES = 1 << 30
/** A mark and the length of a description. */
const PREFIX_BYTES = 8
const CONTINUATION = 0xffff_ffff
/** A batch of three columns describes itself in some hundred bytes. */
const MAX_BATCH_BYTES = 1 << 20

/** How long the message of a batch is, by its description; nothing at the end of the batches. */
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
