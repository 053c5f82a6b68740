import { atOnce } from '../../../shared/concurrency/at-once.ts'
import type { Executor } from '../../../shared/executor.ts'
import { type PackedNames, packNames } from '../../../shared/formats/sam-text.ts'
import { type ByteStream, generatedStream } from '../../../shared/streams/byte-stream.ts'
import { ARROW_END } from '../../render/arrow-end.ts'
import type { Alignment } from '../alignment.ts'
import type { AlignmentParts } from '../parts.ts'
import { intervalsOf } from '../select.ts'
import type { SlicedRecords, Slicer } from '../slicer.ts'
import { arrowRecordsJob, chunkOf } from './arrow-records.ts'
import { DECODE_LIMITS, namedRegion } from './limits.ts'
import { walkBody } from './record-pieces.ts'
import { bamRecords } from './record-text.ts'
import { type TextOutput, textJob } from './text-job.ts'
import type { RecordBytes } from './walk.ts'

/** A page of the records in a region. */
export interface PageWanted {
  /** A region of one reference in command-line syntax, or `unmapped`. */
  readonly region: string
  /** Number of records to skip. */
  readonly from: number
  /** Maximum number of records to return. */
  readonly size: number
  readonly format: 'json' | 'arrow'
}

/**
 * Streams the records of a region in file order. JSON says at its end whether there are more records. Arrow has
 * one row per record.
 * @throws EngineError bad_region, too_large; like Slicer.records; the body throws corrupt_source
 */
export async function recordPage(
  slicer: Slicer,
  executor: Executor,
  parts: AlignmentParts,
  wanted: PageWanted,
  signal: AbortSignal | undefined,
): Promise<ByteStream> {
  const select = async (alignment: Alignment) => {
    const region = namedRegion(alignment, wanted.region)
    if (region === 'unmapped') return { intervals: [], unplaced: true }
    return { intervals: atOnce(intervalsOf(alignment, [region])), unplaced: false }
  }
  const { maxCopied } = DECODE_LIMITS
  const records = await bamRecords(slicer, parts, select, { signal, maxCopied })
  const made = eachPiece(records, wanted, executor, signal)
  const rest = wanted.format === 'json' ? jsonOf(made, wanted) : arrowOf(made)
  return generatedStream({ rest }, { giveBack: () => records[Symbol.asyncDispose]() })
}

async function* eachPiece(
  { alignment, body }: SlicedRecords,
  { from, size, format }: PageWanted,
  executor: Executor,
  signal: AbortSignal | undefined,
): AsyncGenerator<TextOutput> {
  const names: PackedNames = packNames(alignment.header.names)
  let skip = from
  let take = size
  let isFirst = true
  let isMore = false
  const make = async (bytes: RecordBytes) => {
    const given = { names, skip, take, ...bytes }
    const options = { signal, priority: 1 }
    const output =
      format === 'json'
        ? await executor.run(textJob, { ...given, form: 'json', around: [',', ''] }, options)
        : await executor.run(arrowRecordsJob, { ...given, isFirst }, options)
    skip = Math.max(0, skip - output.seen)
    take -= output.written
    isFirst = false
    isMore = output.isMore
    return output
  }
  yield* walkBody(body, make, () => isMore)
}

async function* jsonOf(
  made: AsyncIterable<TextOutput>,
  { from }: PageWanted,
): AsyncGenerator<Uint8Array> {
  yield Buffer.from(`{"from":${from},"records":[`)
  let written = 0
  let more = false
  for await (const { text, isMore, ...output } of made) {
    // Each object starts with a comma, which is removed from the first one.
    if (text.length > 0) yield text.subarray(written === 0 ? 1 : 0)
    written += output.written
    more = isMore
  }
  yield Buffer.from(`],"size":${written},"more":${more}}`)
}

async function* arrowOf(made: AsyncIterable<TextOutput>): AsyncGenerator<Uint8Array> {
  let isEmpty = true
  for await (const { text } of made) {
    isEmpty = false
    if (text.length > 0) yield text
  }
  if (isEmpty) yield chunkOf([], true)
  yield ARROW_END
}
