import type { OpenBlob } from '../../shared/blobs/blob.ts'
import type { Executor } from '../../shared/executor.ts'
import { MAX_BLOCK_BYTES } from '../../shared/formats/bgzf.ts'
import type { StoredDirectory } from './directory.ts'
import type { AlignmentHeader } from './header.ts'
import { type ScanOutput, scanJob, startOfScan } from './scan.ts'

/** Compressed bytes per job: about fifteen milliseconds. */
const SCAN_BYTES = 2 << 20

export interface BuildOptions {
  readonly signal?: AbortSignal | undefined
  readonly priority?: number
  readonly stretchBytes?: number
  /** Rows of an interrupted pass over the same file, from its beginning on. */
  readonly resume?: readonly ScanOutput[]
  /** Called with the rows of each new stretch. */
  readonly onStretch?: (stretch: ScanOutput) => Promise<void>
  /** Called after each stretch with the bytes of the file that are done. */
  readonly onProgress?: ((bytes: number) => void) | undefined
}

/**
 * Makes the block directory of an open file in one pass of jobs, which proves every block and the
 * sort order.
 * @throws EngineError corrupt_source, or bad_input when the records are not in coordinate order
 */
export async function buildDirectory(
  blob: OpenBlob,
  header: AlignmentHeader,
  executor: Executor,
  options: BuildOptions = {},
): Promise<StoredDirectory> {
  const { signal, priority = 0, stretchBytes = SCAN_BYTES, resume = [] } = options
  const referenceCount = header.names.length
  const stretches: ScanOutput[] = [...resume]
  let { state, ended } = stretches.at(-1) ?? {
    state: startOfScan(header.firstBlock, header.firstInner),
    ended: false,
  }
  while (!ended) {
    const input = { referenceCount, state, stretchBytes }
    // The last record may reach into the next block.
    const reads = { start: state.block, end: state.block + stretchBytes + 2 * MAX_BLOCK_BYTES }
    const stretch = await blob.run(executor, scanJob, input, { signal, priority, reads })
    stretches.push(stretch)
    await options.onStretch?.(stretch)
    ;({ state, ended } = stretch)
    options.onProgress?.(state.block)
  }
  return toDirectory(concatStretches(stretches), referenceCount)
}

/** The rows of stretches that follow each other, as one. */
export function concatStretches(stretches: readonly ScanOutput[]): ScanOutput {
  const last = stretches.at(-1)
  if (!last) throw new RangeError('no stretches to join')
  return {
    state: last.state,
    ended: last.ended,
    records: stretches.reduce((sum, stretch) => sum + stretch.records, 0),
    blockOffset: concat(Float64Array, stretches, (s) => s.blockOffset),
    blockLength: concat(Uint32Array, stretches, (s) => s.blockLength),
    checksum: concat(Uint32Array, stretches, (s) => s.checksum),
    runBlock: concat(Float64Array, stretches, (s) => s.runBlock),
    runInner: concat(Uint16Array, stretches, (s) => s.runInner),
    runReference: concat(Int32Array, stretches, (s) => s.runReference),
    runFirst: concat(Int32Array, stretches, (s) => s.runFirst),
    runLast: concat(Int32Array, stretches, (s) => s.runLast),
    runEnd: concat(Int32Array, stretches, (s) => s.runEnd),
  }
}

function toDirectory(rows: ScanOutput, referenceCount: number): StoredDirectory {
  const { blockLength, checksum, runInner, runFirst, runLast, runEnd, records } = rows
  const blocks = blockLength.length
  const blockOffset = new Float64Array(blocks + 1)
  blockOffset.set(rows.blockOffset)
  if (blocks > 0) blockOffset[blocks] = blockOffset[blocks - 1]! + blockLength[blocks - 1]!

  const runs = rows.runBlock.length
  const runBlock = new Uint32Array(runs)
  // Counted one place behind, so that the running sum is the first run of each reference.
  const referenceRun = new Uint32Array(referenceCount + 2)
  let row = 0
  for (let run = 0; run < runs; run++) {
    while (blockOffset[row]! < rows.runBlock[run]!) row++
    runBlock[run] = row
    const reference = rows.runReference[run]!
    referenceRun[(reference === -1 ? referenceCount : reference) + 1]!++
  }
  for (let r = 0; r <= referenceCount; r++) referenceRun[r + 1]! += referenceRun[r]!
  return {
    blockOffset,
    blockLength,
    checksum,
    runBlock,
    runInner,
    runFirst,
    runLast,
    runEnd,
    referenceRun,
    records,
  }
}

interface Column extends ArrayLike<number> {
  set(from: ArrayLike<number>, at: number): void
}

function concat<T extends Column>(
  Kind: new (length: number) => T,
  stretches: readonly ScanOutput[],
  column: (stretch: ScanOutput) => T,
): T {
  const all = new Kind(stretches.reduce((sum, stretch) => sum + column(stretch).length, 0))
  let at = 0
  for (const stretch of stretches) {
    all.set(column(stretch), at)
    at += column(stretch).length
  }
  return all
}
