import { EngineError } from '../../../shared/errors.ts'
import type { Executor } from '../../../shared/executor.ts'
import type { NamedInterval } from '../../../shared/input/region.ts'
import type { Alignment } from '../alignment.ts'
import type { AlignmentParts } from '../parts.ts'
import type { Slicer } from '../slicer.ts'
import { coverageJob } from './coverage-job.ts'
import type { DepthRange } from './depth.ts'
import { DECODE_LIMITS, namedRegion } from './limits.ts'
import { walkBody } from './record-pieces.ts'
import { bamRecords } from './record-text.ts'
import type { RecordBytes } from './walk.ts'

/** Depth of a region in bins of equal width, except that the last may be shorter. */
export interface Coverage {
  readonly reference: string
  /** First position, 1-based. */
  readonly start: number
  /** Last position, 1-based and inclusive. It is within the reference. */
  readonly end: number
  readonly basesPerBin: number
  /** Number of reads that count: mapped and primary, without reads that failed quality checks or are duplicates. */
  readonly reads: number
  /** Sum of the depth over the positions of each bin. */
  readonly sums: Float64Array
  /** Greatest depth at one position of each bin. */
  readonly greatest: Int32Array
}

export interface CoverageWanted {
  /** A region of one reference in command-line syntax, with any reference name of the file. */
  readonly region: string
  /** Number of bins. Undefined means one per position. */
  readonly bins: number | undefined
}

/**
 * Computes the depth of a region as `samtools depth -a` does: it counts the bases in M, = and X of reads that
 * are mapped and primary, and neither failed nor duplicates.
 * @throws EngineError bad_input for an invalid reference or number of bins, too_large; like Slicer.records
 */
export async function coverageOf(
  slicer: Slicer,
  executor: Executor,
  parts: AlignmentParts,
  { region, bins }: CoverageWanted,
  signal: AbortSignal | undefined,
): Promise<Coverage> {
  let range: DepthRange | undefined
  let reference = ''
  const select = async (alignment: Alignment) => {
    const interval = placedRegion(alignment, region)
    reference = interval.reference
    range = rangeOf(alignment, interval, bins)
    return { intervals: [range], unplaced: false }
  }
  const { maxCopied } = DECODE_LIMITS
  await using records = await bamRecords(slicer, parts, select, { signal, maxCopied })
  if (!range) throw new TypeError('nothing was selected')
  const made = await countIn(range, records, executor, signal)
  return {
    reference,
    start: range.start + 1,
    end: range.end,
    basesPerBin: range.binWidth,
    ...made,
  }
}

async function countIn(
  range: DepthRange,
  { alignment, body }: { readonly alignment: Alignment; readonly body: AsyncIterable<Uint8Array> },
  executor: Executor,
  signal: AbortSignal | undefined,
): Promise<Pick<Coverage, 'reads' | 'sums' | 'greatest'>> {
  const count = Math.ceil((range.end - range.start) / range.binWidth)
  const sums = new Float64Array(new SharedArrayBuffer(8 * count))
  const greatest = new Int32Array(new SharedArrayBuffer(4 * count))
  const referenceCount = alignment.header.names.length
  const given = { referenceCount, range, bins: { sums, greatest } }
  let state = { at: range.start, depth: 0, pages: [] } as Parameters<
    typeof coverageJob.run
  >[0]['state']
  let reads = 0
  const add = async (bytes: RecordBytes, isLast: boolean) => {
    const input = { ...given, ...bytes, state, isLast }
    const output = await executor.run(coverageJob, input, { signal, priority: 1 })
    state = output.state
    reads += output.reads
    return output
  }
  for await (const _ of walkBody(body, (bytes) => add(bytes, false)));
  await add({ blocks: new Uint8Array(0), rest: new Uint8Array(0) }, true)
  return { reads, sums, greatest }
}

function placedRegion(alignment: Alignment, region: string): NamedInterval {
  const interval = namedRegion(alignment, region)
  if (interval !== 'unmapped') return interval
  const message = 'reads without a place cover none; give a region of a reference'
  throw new EngineError('bad_input', message, { at: 'region' })
}

/** Limits the region to its reference. */
function rangeOf(
  alignment: Alignment,
  { reference, start, end }: NamedInterval,
  bins: number | undefined,
): DepthRange {
  const number = alignment.numberOf.get(reference) ?? -1
  const length = alignment.header.lengths[number] ?? 0
  const limit = Math.min(end, length)
  if (start >= limit) {
    const message = `region begins at ${start + 1}; reference "${reference}" ends at ${length}`
    throw new EngineError('bad_input', `${message}, so give a region before that`, { at: 'region' })
  }
  const positions = limit - start
  const { maxBins } = DECODE_LIMITS
  if (bins === undefined && positions > maxBins) {
    const message = `region has ${positions} positions; at most ${maxBins} can be returned one by one`
    throw new EngineError('bad_input', `${message}, so give bins or a smaller region`, {
      at: 'bins',
    })
  }
  const binWidth = bins === undefined ? 1 : Math.ceil(positions / bins)
  return { reference: number, start, end: limit, binWidth }
}
