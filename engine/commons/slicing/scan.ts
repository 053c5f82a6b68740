import { crc32 } from 'node:zlib'
import type {
  ArraySchema,
  ArraysOf,
  FactSchema,
  FactsOf,
} from '../../shared/arrays/array-schema.ts'
import type { ByteSource } from '../../shared/blobs/source.ts'
import { EngineError } from '../../shared/errors.ts'
import type { Job, Scratch } from '../../shared/executor.ts'
import { BlockReader, LONG_WINDOW_BYTES } from './block-reader.ts'
import { guessFirstRecord, type RecordPlace } from './first-record.ts'
import { cursorOver } from './records/cursor-over.ts'
import { linePlace } from './records/line-cursor.ts'
import { type RecordCursor, UNKNOWN_REFERENCE } from './records/record-cursor.ts'
import type { RecordFormat } from './records/record-format.ts'

/** Where an extent of a pass over the file starts, and the state left by the extents before it. */
const STATE_FACTS = {
  /** File offset of the first block of the extent. */
  block: 'number',
  /** Inflated bytes from the start of that block to the first record that starts in the extent or later. */
  skip: 'number',
  /** Position of the last record so far, for checking the sort order. */
  reference: 'number',
  position: 'number',
} as const satisfies FactSchema

export type ScanState = FactsOf<typeof STATE_FACTS>

interface ScanInput {
  readonly source: ByteSource
  readonly format: RecordFormat
  readonly referenceCount: number
  readonly state: ScanState
  /** File offset. The extent consists of the blocks that start before it. */
  readonly end: number
}

interface ScanAheadInput extends Omit<ScanInput, 'state'> {
  /** File offset. The extent starts with the first block at or after it. */
  readonly start: number
}

/** An extent that was scanned before the extents that precede it. */
export interface ScannedAhead {
  /** Guessed start of the extent. Its rows are valid if the preceding extent ends there. */
  readonly start: RecordPlace
  readonly extent: ScanOutput
}

/** Rows for the directory (see StoredDirectory). runBlock is the block's file offset here. */
export const SCAN_ARRAYS = {
  blockOffset: ['Float64Array'],
  blockLength: ['Uint32Array'],
  checksum: ['Uint32Array'],
  runBlock: ['Float64Array'],
  runInner: ['Uint16Array'],
  runReference: ['Int32Array'],
  runFirst: ['Int32Array', 'Float64Array'],
  runLast: ['Int32Array', 'Float64Array'],
  runEnd: ['Int32Array', 'Float64Array'],
  runRecords: ['Uint16Array'],
  runUnmapped: ['Uint16Array'],
} as const satisfies ArraySchema

/** Facts of an extent in addition to its rows. */
export const SCAN_FACTS = {
  state: STATE_FACTS,
  ended: 'boolean',
  records: 'number',
  /** Number of records that are flagged as mapped but have no position. */
  unpositioned: 'number',
  /** Number of records with a position but no reference. */
  unreferenced: 'number',
} as const satisfies FactSchema

export type ScanOutput = ArraysOf<typeof SCAN_ARRAYS, ArrayBuffer> & FactsOf<typeof SCAN_FACTS>

const MAX_INT32 = 2 ** 31 - 1

const columnsOf = (extent: ScanOutput) =>
  [
    extent.blockOffset,
    extent.blockLength,
    extent.checksum,
    extent.runBlock,
    extent.runInner,
    extent.runReference,
    extent.runFirst,
    extent.runLast,
    extent.runEnd,
    extent.runRecords,
    extent.runUnmapped,
  ].map((column) => column.buffer)

/**
 * Scans one extent for a directory. Inflates and verifies every block, and checks each record: it is complete,
 * refers to an existing reference, aligns as many bases as it has, and is in coordinate order.
 * @throws EngineError corrupt_source; bad_input if the records are not sorted
 */
export const scanJob: Job<ScanInput, ScanOutput> = {
  name: 'slicing.scan',
  transfer: columnsOf,
  run: scan,
}

/**
 * Scans an extent before the preceding extents are scanned, starting from a guessed first record. Returns
 * undefined if no record could be guessed or found.
 * @throws EngineError like scanJob; also for an intact file if the guess was wrong
 */
export const scanAheadJob: Job<ScanAheadInput, ScannedAhead | undefined> = {
  name: 'slicing.scan-ahead',
  transfer: (ahead) => (ahead ? columnsOf(ahead.extent) : []),
  run(input, scratch) {
    const start = guessFirstRecord(input, scratch)
    if (!start || start.block >= input.end) return undefined
    const extent = scan({ ...input, state: startOfScan(start.block, start.skip) }, scratch)
    return extent.records > 0 ? { start, extent } : undefined
  },
}

/** Returns whether rows scanned from a guess equal the rows of a scan from this state. */
export function follows(state: ScanState, { start, extent }: ScannedAhead): boolean {
  if (start.block !== state.block || start.skip !== state.skip) return false
  const [reference = -1] = extent.runReference
  const [position = -1] = extent.runFirst
  return !isBefore(reference, position, state.reference, state.position)
}

function scan(
  { source, format, referenceCount, state, end: limit }: ScanInput,
  scratch: Scratch,
): ScanOutput {
  const blocks: { offset: number; length: number; checksum: number }[] = []
  // Inflated bytes since the start of the extent, up to the start of the next extent.
  let inflated = 0
  let stop: { block: number; inflated: number } | undefined
  const reader = new BlockReader(source, scratch.bytes('window', LONG_WINDOW_BYTES), {
    inflater: scratch.kernels.inflater,
    observe: (block, compressed) => {
      if (block.offset >= limit) stop ??= { block: block.offset, inflated }
      else if (block.bytes.length > 0) {
        blocks.push({
          offset: block.offset,
          length: compressed.length,
          checksum: crc32(compressed),
        })
      }
      inflated += block.bytes.length
    },
  })

  const cursor = cursorOver(format, reader, { block: state.block, inner: state.skip })
  const runs = new RunRows(format)
  const left = new Set<number>()
  let { reference, position } = state
  let walked = state.skip
  let records = 0
  let unpositioned = 0
  let unreferenced = 0
  let ended = true
  while (cursor.advance()) {
    if (cursor.block >= limit) {
      ended = false
      break
    }
    const here = cursor.reference
    const start = cursor.start
    if (here === UNKNOWN_REFERENCE) throw unknownReference(cursor.block)
    const flaw = misplacedIn(cursor, referenceCount) ?? cursor.flawIn(referenceCount)
    if (flaw !== undefined) throw flawed(flaw, cursor, format)
    if (isBefore(here, start, reference, position)) throw outOfOrder(format)
    if (here !== reference) {
      if (left.has(here)) throw outOfOrder(format)
      left.add(reference)
    }
    if (cursor.lacksPosition) unpositioned++
    if (here === -1 && start >= 0) unreferenced++
    runs.add(cursor, here, start)
    reference = here
    position = start
    walked += cursor.length
    records++
  }
  const next = stop ?? { block: source.size, inflated }
  return {
    state: { block: next.block, skip: walked - next.inflated, reference, position },
    // The last record may end in the next extent, which then has the rows of its further blocks.
    ended: ended && stop === undefined,
    records,
    unpositioned,
    unreferenced,
    blockOffset: Float64Array.from(blocks, (block) => block.offset),
    blockLength: Uint32Array.from(blocks, (block) => block.length),
    checksum: Uint32Array.from(blocks, (block) => block.checksum),
    ...runs.columns(),
  }
}

/** Returns why no record can be at this position, or undefined if the position is valid. */
function misplacedIn({ reference, start }: RecordCursor, referenceCount: number) {
  if (reference < -1 || reference >= referenceCount) {
    return `a record is on reference ${reference}, and the file has ${referenceCount}, counted from 0`
  }
  return start < -1 ? `a record has the position ${start + 1}` : undefined
}

/** Creates the error for a single faulty record. The file itself may be as its writer intended. */
function flawed(
  flaw: string,
  { block, inner, reference, start }: RecordCursor,
  { kind }: RecordFormat,
): EngineError {
  const where = reference < 0 ? 'without a reference' : `at ${start + 1} of reference ${reference}`
  const message = `${flaw}: the record ${where} (counted from 0), in the block at byte ${block} of the file`
  const at = kind === 'lines' ? linePlace(block, inner) : RECORD
  return new EngineError('corrupt_source', message, { at })
}

/** Marks errors (in `at`) about a single record. */
export const RECORD = 'record'

export function outOfOrder({ kind }: RecordFormat): EngineError {
  const command = { BAM: ' (samtools sort)', BCF: ' (bcftools sort)', lines: '' }[kind]
  return new EngineError(
    'bad_input',
    `records are not in coordinate order; sort the file${command} and try again`,
  )
}

function unknownReference(block: number): EngineError {
  return new EngineError(
    'no_index',
    `index lacks a reference of the file, which the block at byte ${block} has; index it again`,
  )
}

/**
 * Returns whether a record is out of order. The records of a reference must be contiguous. References may be in
 * another order than in the header, as htslib accepts. Records without a reference (-1) come last, in any order.
 */
function isBefore(reference: number, start: number, lastReference: number, lastStart: number) {
  if (lastReference === -2 || reference === -1) return false
  if (lastReference === -1) return true
  return reference === lastReference && start < lastStart
}

/** Returns the state before the first record of a file. */
export function startOfScan(firstBlock: number, firstInner: number): ScanState {
  return { block: firstBlock, skip: firstInner, reference: -2, position: -1 }
}

class RunRows {
  readonly #isLong: boolean
  readonly #block: number[] = []
  readonly #inner: number[] = []
  readonly #reference: number[] = []
  readonly #first: number[] = []
  readonly #last: number[] = []
  readonly #end: number[] = []
  readonly #records: number[] = []
  readonly #unmapped: number[] = []

  constructor({ kind }: RecordFormat) {
    // Lines may have positions beyond 32 bits.
    this.#isLong = kind === 'lines'
  }

  add(cursor: RecordCursor, reference: number, start: number): void {
    const { block, end } = cursor
    const unmapped = cursor.isUnmapped ? 1 : 0
    const run = this.#block.length - 1
    if (run < 0 || this.#block[run] !== block || this.#reference[run] !== reference) {
      this.#block.push(block)
      this.#inner.push(cursor.inner)
      this.#reference.push(reference)
      this.#first.push(start)
      this.#last.push(start)
      this.#end.push(end)
      this.#records.push(1)
      this.#unmapped.push(unmapped)
      return
    }
    this.#records[run]!++
    this.#unmapped[run]! += unmapped
    this.#last[run] = start
    if (end > this.#end[run]!) this.#end[run] = end
  }

  #positions(values: readonly number[]): Int32Array<ArrayBuffer> | Float64Array<ArrayBuffer> {
    if (this.#isLong) return Float64Array.from(values)
    return Int32Array.from(values, (value) => Math.min(value, MAX_INT32))
  }

  columns() {
    return {
      runBlock: Float64Array.from(this.#block),
      runInner: Uint16Array.from(this.#inner),
      runReference: Int32Array.from(this.#reference),
      runFirst: this.#positions(this.#first),
      runLast: this.#positions(this.#last),
      runEnd: this.#positions(this.#end),
      runRecords: Uint16Array.from(this.#records),
      runUnmapped: Uint16Array.from(this.#unmapped),
    }
  }
}
