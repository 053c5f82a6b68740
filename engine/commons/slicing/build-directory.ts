import type { ScratchFile } from '../../shared/arrays/column-builder.ts'
import type { OpenBlob } from '../../shared/blobs/blob.ts'
import { inOrder } from '../../shared/concurrency/in-order.ts'
import { EngineError, type ErrorCode } from '../../shared/errors.ts'
import type { Executor } from '../../shared/executor.ts'
import { MAX_BLOCK_BYTES } from '../../shared/formats/bgzf.ts'
import type { Directory } from './directory.ts'
import { DirectoryRows } from './directory-rows.ts'
import type { AlignmentHeader } from './header.ts'
import {
  follows,
  type ScannedAhead,
  type ScanOutput,
  type ScanState,
  scanAheadJob,
  scanJob,
  startOfScan,
} from './scan.ts'

/** Compressed bytes per job: about 15 milliseconds of work. */
const SCAN_BYTES = 2 << 20

export interface BuildOptions {
  readonly signal?: AbortSignal | undefined
  readonly priority?: number
  readonly extentBytes?: number
  /**
   * Number of extents to scan concurrently. All but the first start at a guessed record. An extent is scanned
   * again if the guess does not match the end of the extent before.
   */
  readonly ahead?: number
  /** Rows of an interrupted pass over the same file, from its beginning. */
  readonly resume?: AsyncIterable<ScanOutput> | Iterable<ScanOutput>
  /**
   * File for the rows, so that memory does not grow with the size of the file. The directory may be stored in
   * it, so the caller closes it after the last use of the directory.
   */
  readonly scratch?: ScratchFile
  /** Called with the rows of each new extent. */
  readonly onExtent?: (extent: ScanOutput) => Promise<void>
  /** Called after each extent with the number of the file's bytes that are done. */
  readonly onProgress?: ((bytes: number) => void) | undefined
}

/**
 * Builds the block directory of an open file in one pass over the file. Its jobs verify every block and the sort
 * order.
 * @throws EngineError corrupt_source; bad_input if the records are not in coordinate order
 */
export async function buildDirectory(
  blob: OpenBlob,
  header: AlignmentHeader,
  executor: Executor,
  options: BuildOptions = {},
): Promise<Directory> {
  const { signal, resume = [], ahead = 1 } = options
  const scans = scansOf(blob, header, executor, options)
  const rows = new DirectoryRows(header, options.scratch)
  let state = startOfScan(header.firstBlock, header.firstInner)
  let ended = false
  for await (const extent of resume) {
    await rows.add(extent)
    ;({ state, ended } = extent)
  }
  let begun = state.block
  let underWay = 0
  const next = (signal: AbortSignal) => {
    const known = state
    // The start of the next extent is known if no job is running.
    const isKnown = underWay === 0
    const start = isKnown ? known.block : begun
    if (ended || start >= blob.identity.size) return undefined
    const end = scans.endOf(start)
    begun = end
    underWay++
    const scanning: Promise<ScannedAhead | undefined> = isKnown
      ? scans.from(known, signal).then((extent) => ({ start: known, extent }))
      : scans.ahead(start, signal)
    return scanning.then((scanned) => ({ scanned, end }))
  }
  for await (const { scanned, end } of inOrder(next, { ahead, signal })) {
    underWay--
    // A block longer than an extent leaves the next extent without a start.
    if (ended || end <= state.block) continue
    const isSound = scanned !== undefined && follows(state, scanned)
    const extent = isSound ? scanned.extent : await scans.from(state, signal)
    await rows.add(extent)
    await options.onExtent?.(extent)
    ;({ state, ended } = extent)
    options.onProgress?.(state.block)
  }
  return rows.finish()
}

/**
 * Starts the jobs of a pass. Extents end at multiples of their length, so that no job has to wait for another to
 * know where to start.
 */
function scansOf(
  blob: OpenBlob,
  { names, firstBlock, format }: AlignmentHeader,
  executor: Executor,
  { priority = 0, extentBytes = SCAN_BYTES }: BuildOptions,
) {
  const referenceCount = names.length
  const endOf = (offset: number) =>
    firstBlock + (Math.floor((offset - firstBlock) / extentBytes) + 1) * extentBytes
  const optionsFor = (start: number, signal: AbortSignal | undefined) => {
    // The last record may extend into the next block.
    return { signal, priority, reads: { start, end: endOf(start) + 2 * MAX_BLOCK_BYTES } }
  }
  return {
    endOf,
    from(state: ScanState, signal: AbortSignal | undefined): Promise<ScanOutput> {
      const input = { format, referenceCount, state, end: endOf(state.block) }
      return blob.run(executor, scanJob, input, optionsFor(state.block, signal))
    },
    ahead(start: number, signal: AbortSignal): Promise<ScannedAhead | undefined> {
      const input = { format, referenceCount, start, end: endOf(start) }
      return blob.run(executor, scanAheadJob, input, optionsFor(start, signal)).catch(noGuess)
    },
  }
}

/** Ignores errors of a wrong guess. Problems of the file will show in the scan itself. */
function noGuess(error: unknown): undefined {
  if (error instanceof EngineError && FAILED_GUESSES.has(error.code)) return undefined
  throw error
}

const FAILED_GUESSES: ReadonlySet<ErrorCode> = new Set(['corrupt_source', 'bad_input', 'no_index'])

/** Joins the rows of consecutive extents. */
export function concatExtents(extents: readonly ScanOutput[]): ScanOutput {
  const last = extents.at(-1)
  if (!last) throw new RangeError('no extents to join')
  const positions = (
    column: (extent: ScanOutput) => ScanOutput['runFirst'],
  ): ScanOutput['runFirst'] =>
    last.runFirst instanceof Float64Array
      ? concat(Float64Array, extents, column)
      : concat(Int32Array, extents, column)
  return {
    state: last.state,
    ended: last.ended,
    records: extents.reduce((sum, extent) => sum + extent.records, 0),
    unpositioned: extents.reduce((sum, extent) => sum + extent.unpositioned, 0),
    unreferenced: extents.reduce((sum, extent) => sum + extent.unreferenced, 0),
    blockOffset: concat(Float64Array, extents, (s) => s.blockOffset),
    blockLength: concat(Uint32Array, extents, (s) => s.blockLength),
    checksum: concat(Uint32Array, extents, (s) => s.checksum),
    runBlock: concat(Float64Array, extents, (s) => s.runBlock),
    runInner: concat(Uint16Array, extents, (s) => s.runInner),
    runReference: concat(Int32Array, extents, (s) => s.runReference),
    runFirst: positions((s) => s.runFirst),
    runLast: positions((s) => s.runLast),
    runEnd: positions((s) => s.runEnd),
    runRecords: concat(Uint16Array, extents, (s) => s.runRecords),
    runUnmapped: concat(Uint16Array, extents, (s) => s.runUnmapped),
  }
}

interface Column extends ArrayLike<number> {
  set(from: ArrayLike<number>, at: number): void
}

function concat<T extends Column>(
  Kind: new (length: number) => T,
  extents: readonly ScanOutput[],
  column: (extent: ScanOutput) => ArrayLike<number>,
): T {
  const all = new Kind(extents.reduce((sum, extent) => sum + column(extent).length, 0))
  let at = 0
  for (const extent of extents) {
    all.set(column(extent), at)
    at += column(extent).length
  }
  return all
}
