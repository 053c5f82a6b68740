import { BamFile } from '@gmod/bam'
import { unzip } from '@gmod/bgzf-filehandle'
import type { GenericFilehandle } from 'generic-filehandle2'
import { BlobFilehandle } from '../../../shared/blobs/blob-filehandle.ts'
import { EngineError } from '../../../shared/errors.ts'
import type { Executor, Job } from '../../../shared/executor.ts'
import { blockLength, plainBlocks } from '../../../shared/formats/bgzf.ts'
import { type AlignmentHeader, headerJob } from '../header.ts'
import type { AlignmentParts } from '../parts.ts'
import { DEFAULT_LIMITS, Slicer, WHOLE } from '../slicer.ts'
import { walkBody } from './record-pieces.ts'
import { type RecordBytes, walkRecords } from './walk.ts'

/** Record counts by reference number. The last entry counts records without a reference. */
type RecordCounts = Float64Array<ArrayBuffer>

interface CountInput extends RecordBytes {
  readonly referenceCount: number
}

interface CountOtherwiseInput extends RecordBytes {
  /** Inflated bytes before the first record, which are the header. */
  readonly skip: number
}

interface CountOutput {
  readonly rest: Uint8Array<ArrayBuffer>
  /** Counts by reference. The list is sparse, because a piece has records of few references. */
  readonly counts: readonly (readonly [reference: number, records: number])[]
}

/** Counts the records of verified blocks with our own reader. */
export const countJob: Job<CountInput, CountOutput> = {
  name: 'slicing.count',
  transfer: ({ rest }) => [rest.buffer],
  async run({ referenceCount, ...bytes }) {
    const counts = new Counts()
    const rest = await walkRecords(bytes, referenceCount, ({ view, at }) => {
      counts.add(view.getInt32(at + 4, true))
      return true
    })
    return { rest, counts: counts.entries }
  },
}

/** Counts the records of blocks with `@gmod/bam`. */
export const countOtherwiseJob: Job<CountOtherwiseInput, CountOutput> = {
  name: 'slicing.count-otherwise',
  transfer: ({ rest }) => [rest.buffer],
  async run({ blocks, rest, skip }) {
    const inflated = (await unzip(plainBlocks(blocks))).subarray(skip)
    // The library reads the whole buffer behind a view, so the buffer must start at the record.
    const bytes = new Uint8Array(rest.length + inflated.length)
    bytes.set(rest)
    bytes.set(inflated, rest.length)
    const counts = new Counts()
    let end = 0
    // A record length of -4 would make the library loop forever.
    let left = bytes.length / MIN_RECORD_BYTES
    class Counted extends CountedRecord {
      constructor(args: { readonly bytes: Span; readonly fileOffset: number }) {
        super(args)
        if (--left < 0) throw new EngineError('corrupt_source', 'records of no length')
        counts.add(this.ref_id)
        end = args.bytes.end + 1
      }
    }
    const file = new BamFile({
      bamFilehandle: NOTHING,
      baiFilehandle: NOTHING,
      recordClass: Counted,
    })
    await file.readBamFeatures(bytes, BLOCK_PLACES, INFLATED_PLACES, CHUNK)
    return { rest: bytes.slice(end), counts: counts.entries }
  },
}

type Span = { readonly start: number; readonly end: number; readonly byteArray: Uint8Array }

const MIN_RECORD_BYTES = 36

/** Block positions, which are not used here. */
const BLOCK_PLACES = [0]
const INFLATED_PLACES = [0, Number.POSITIVE_INFINITY]
type Chunk = Parameters<BamFile['readBamFeatures']>[3]
const CHUNK = { minv: { blockPosition: 0, dataPosition: 0 } } as Chunk

/** File handle that is never read, because the bytes are given. */
const NOTHING: GenericFilehandle = {
  read: unread,
  readFile: unread,
  stat: async () => ({ size: 0 }),
  close: async () => {},
}

async function unread(): Promise<never> {
  throw new TypeError('nothing is read here')
}

/** The fields that the library requires of a record. */
class CountedRecord {
  readonly ref_id: number
  readonly start = 0
  readonly end = 0
  readonly name = ''
  readonly fileOffset: number
  readonly next_pos = 0
  readonly next_refid = 0
  readonly flags = 0
  readonly tags = {}

  constructor({ bytes, fileOffset }: { readonly bytes: Span; readonly fileOffset: number }) {
    const { byteArray, start } = bytes
    this.ref_id = new DataView(byteArray.buffer).getInt32(start + 4, true)
    this.fileOffset = fileOffset
  }
}

class Counts {
  readonly #counts = new Map<number, number>()

  add(reference: number): void {
    this.#counts.set(reference, (this.#counts.get(reference) ?? 0) + 1)
  }

  get entries(): CountOutput['counts'] {
    return [...this.#counts]
  }
}

/** Bytes given to the second reader at a time. */
const WINDOW_BYTES = 1 << 20

/**
 * Counts the records of a file in windows, with `@gmod/bam` on an adapter over the file.
 * @throws EngineError corrupt_source, as the adapter
 */
export async function countOtherwise(
  file: GenericFilehandle,
  { names, firstBlock, firstInner }: AlignmentHeader,
  executor: Executor,
  signal?: AbortSignal,
): Promise<RecordCounts> {
  const { size } = await file.stat()
  const counts: RecordCounts = new Float64Array(names.length + 1)
  let rest: Uint8Array = new Uint8Array(0)
  let skip = firstInner
  for (let at = firstBlock; at < size; ) {
    const options = signal ? { signal } : {}
    const bytes = await file.read(Math.min(WINDOW_BYTES, size - at), at, options)
    const length = wholeBlocks(bytes)
    if (length === 0) throw new EngineError('corrupt_source', `block at byte ${at} is cut off`)
    const input = { blocks: bytes.subarray(0, length), rest, skip }
    const output = await executor.run(countOtherwiseJob, input, { signal })
    for (const [reference, records] of output.counts) addTo(counts, reference, records)
    skip = 0
    rest = output.rest
    at += length
  }
  if (rest.length > 0) throw new EngineError('corrupt_source', 'the last record is cut off')
  return counts
}

function addTo(counts: RecordCounts, reference: number, records: number): void {
  const unplaced = counts.length - 1
  if (reference < -1 || reference >= unplaced) {
    throw new EngineError('corrupt_source', `a record names reference ${reference} of ${unplaced}`)
  }
  counts[reference === -1 ? unplaced : reference]! += records
}

function wholeBlocks(bytes: Uint8Array): number {
  let at = 0
  for (;;) {
    const length = blockLength(bytes, at, bytes.length)
    if (length === 0 || at + length > bytes.length) return at
    at += length
  }
}

/**
 * Counts the records of a file with our own reader.
 * @throws EngineError as Slicer.records
 */
export async function countRecords(
  parts: AlignmentParts,
  executor: Executor,
  signal?: AbortSignal,
): Promise<RecordCounts> {
  await using slicer = new Slicer(executor, DEFAULT_LIMITS)
  await using records = await slicer.records(parts, WHOLE, { signal })
  const { length: referenceCount } = records.alignment.header.names
  const counts: RecordCounts = new Float64Array(referenceCount + 1)
  const make = (bytes: RecordBytes) =>
    executor.run(countJob, { ...bytes, referenceCount }, { signal, priority: 1 })
  for await (const output of walkBody(records.body, make)) {
    for (const [reference, count] of output.counts) addTo(counts, reference, count)
  }
  return counts
}

/**
 * Yields the differences between two independent readers of a file's records.
 * @throws EngineError as either reader; bad_input if the file has no BAM header
 */
export async function* disagreements(
  parts: AlignmentParts,
  executor: Executor,
  signal?: AbortSignal,
): AsyncGenerator<string> {
  const counts = await countRecords(parts, executor, signal)
  const blob = await parts.open()
  try {
    const header = await blob.run(executor, headerJob, {}, { signal })
    if (!header) throw new EngineError('bad_input', 'the file has no header of BAM')
    const others = await countOtherwise(new BlobFilehandle(blob), header, executor, signal)
    for (const [row, count] of counts.entries()) {
      if (others[row] === count) continue
      const place =
        header.names[row] === undefined ? 'without a reference' : `of ${header.names[row]}`
      yield `${count} records ${place} by our reader; ${others[row]} by @gmod/bam`
    }
  } finally {
    await blob.close()
  }
}
