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
  readonly extentBytes?: number
  /** Rows of an interrupted pass over the same file, from its beginning on. */
  readonly resume?: readonly ScanOutput[]
  /** Called with the rows of each new extent. */
  readonly onExtent?: (extent: ScanOutput) => Promise<void>
  /** Called after each extent with the bytes of the file that are done. */
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
  const { signal, priority = 0, extentBytes = SCAN_BYTES, resume = [] } = options
  const referenceCount = header.names.length
  const extents: ScanOutput[] = [...resume]
  let { state, ended } = extents.at(-1) ?? {
    state: startOfScan(header.firstBlock, header.firstInner),
    ended: false,
  }
  while (!ended) {
    const input = { referenceCount, state, extentBytes }
    // The last record may reach into the next block.
    const reads = { start: state.block, end: state.block + extentBytes + 2 * MAX_BLOCK_BYTES }
    const extent = await blob.run(executor, scanJob, input, { signal, priority, reads })
    extents.push(extent)
    await options.onExtent?.(extent)
    ;({ state, ended } = extent)
    options.onProgress?.(state.block)
  }
  return toDirectory(concatExtents(extents), referenceCount)
}

/** The rows of extents that follow each other, as one. */
export function concatExtents(extents: readonly ScanOutput[]): ScanOutput {
  const last = extents.at(-1)
  if (!last) throw new RangeError('no extents to join')
  return {
    state: last.state,
    ended: last.ended,
    records: extents.reduce((sum, extent) => sum + extent.records, 0),
    unpositioned: extents.reduce((sum, extent) => sum + extent.unpositioned, 0),
    blockOffset: concat(Float64Array, extents, (s) => s.blockOffset),
    blockLength: concat(Uint32Array, extents, (s) => s.blockLength),
    checksum: concat(Uint32Array, extents, (s) => s.checksum),
    runBlock: concat(Float64Array, extents, (s) => s.runBlock),
    runInner: concat(Uint16Array, extents, (s) => s.runInner),
    runReference: concat(Int32Array, extents, (s) => s.runReference),
    runFirst: concat(Int32Array, extents, (s) => s.runFirst),
    runLast: concat(Int32Array, extents, (s) => s.runLast),
    runEnd: concat(Int32Array, extents, (s) => s.runEnd),
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
  extents: readonly ScanOutput[],
  column: (extent: ScanOutput) => T,
): T {
  const all = new Kind(extents.reduce((sum, extent) => sum + column(extent).length, 0))
  let at = 0
  for (const extent of extents) {
    all.set(column(extent), at)
    at += column(extent).length
  }
  return all
}
