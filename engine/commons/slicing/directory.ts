import { stat } from 'node:fs/promises'
import { arrayNames, openArrays, readArrays, writeArrays } from '../../shared/arrays/array-file.ts'
import { type ArraySchema, type NumberArray, typedFacts } from '../../shared/arrays/array-schema.ts'
import {
  type ColumnsOf,
  columnMemory,
  type NumberColumn,
  type PageableColumn,
  PagedColumn,
} from '../../shared/arrays/paged-column.ts'
import type { OpenBlob } from '../../shared/blobs/blob.ts'
import { type FileIdentity, IDENTITY_FACTS } from '../../shared/blobs/identity.ts'
import { LoopTurns } from '../../shared/concurrency/loop-turns.ts'

const COLUMNS = {
  blockOffset: ['Float64Array'],
  blockLength: ['Uint32Array'],
  checksum: ['Uint32Array'],
  runBlock: ['Uint32Array'],
  runInner: ['Uint16Array'],
  runFirst: ['Int32Array', 'Float64Array'],
  runLast: ['Int32Array', 'Float64Array'],
  runEnd: ['Int32Array', 'Float64Array'],
  reach: ['Int32Array', 'Float64Array', 'absent'],
  runRecords: ['Uint16Array', 'absent'],
  runUnmapped: ['Uint16Array', 'absent'],
  afterGap: ['Uint32Array', 'absent'],
  referenceRun: ['Uint32Array'],
  referenceEnd: ['Uint32Array', 'absent'],
  runReference: ['Uint32Array', 'absent'],
} as const satisfies ArraySchema

/** Directories of at least this size, about 1,500,000 blocks, stay on disk and are read by pages. */
const PAGED_BYTES = 64 << 20

type StoredDirectory = ColumnsOf<typeof COLUMNS> & { readonly records: number }

/**
 * Facts about every block of a file of sorted records, collected in one pass: its position, a CRC32 of its
 * compressed bytes (the ledger), and the records that start in it. A slice is planned by binary search in it,
 * and copied bytes are verified without inflating them.
 *
 * A run is the records of one reference that start in one block. Runs are in file order, and the runs of a
 * reference are contiguous and sorted by position. Records without a reference come last, as runs of an
 * additional reference whose number is the reference count.
 *
 * Parallel columns with one row per block: blockOffset (bytes from the start of the file, with an additional row
 * for the end of the last block), blockLength, checksum. One row per run: runBlock, runInner (inflated offset of
 * the first record in that block), runFirst and runLast (smallest and largest start), runEnd (largest end,
 * exclusive), all positions 0-based; reach (largest runEnd of the reference up to and including this run, for
 * finding records that reach into an interval); runRecords and runUnmapped (number of records, and of unmapped
 * ones), which earlier versions did not write. afterGap has the rows of blocks that are preceded by empty ones,
 * ascending. referenceRun[r] is the first run of reference r. If references are not in the order of their
 * numbers, referenceEnd[r] is the run after the last one of r, and runReference has the reference of each run;
 * otherwise both are absent (runsOfReference).
 */
export type Directory = StoredDirectory & {
  readonly reach: PageableColumn
  readonly afterGap: PageableColumn
}

/** Computes the columns that an earlier version did not write. They are kept in memory: 4 bytes per run. */
function* completed(stored: StoredDirectory): Generator<void, Directory> {
  const { reach = yield* reachOf(stored), afterGap = yield* gapsOf(stored) } = stored
  return { ...stored, reach, afterGap }
}

/** Number of rows to process before a pause. */
const STEP_ROWS = 1 << 14

function* reachOf(stored: StoredDirectory): Generator<void, PageableColumn> {
  const { runEnd, referenceRun } = stored
  const isLong =
    runEnd instanceof PagedColumn ? runEnd.kind === 'Float64Array' : runEnd instanceof Float64Array
  const reach = isLong ? new Float64Array(runEnd.length) : new Int32Array(runEnd.length)
  for (let r = 0; r + 1 < referenceRun.length; r++) {
    let greatest = -1
    const [first, next] = runsOfReference(stored, r)
    for (let run = first; run < next; run++) {
      greatest = Math.max(greatest, runEnd.at(run)!)
      reach[run] = greatest
      if (run % STEP_ROWS === 0) yield
    }
  }
  return reach
}

function* gapsOf({ blockOffset, blockLength }: StoredDirectory): Generator<void, PageableColumn> {
  const afterGap: number[] = []
  for (let row = 1; row < blockLength.length; row++) {
    if (blockOffset.at(row - 1)! + blockLength.at(row - 1)! < blockOffset.at(row)!) {
      afterGap.push(row)
    }
    if (row % STEP_ROWS === 0) yield
  }
  return Uint32Array.from(afterGap)
}

type References = Pick<StoredDirectory, 'referenceRun' | 'referenceEnd' | 'runReference'>

/** Returns the first run of a reference and the run after its last. Equal if it has no records. */
export function runsOfReference(
  { referenceRun, referenceEnd }: References,
  reference: number,
): readonly [number, number] {
  const next = referenceEnd ? referenceEnd.at(reference) : referenceRun.at(reference + 1)
  return [referenceRun.at(reference)!, next!]
}

/** Returns the reference of a run. If several start there, returns the last one: the others are empty. */
export function referenceOfRun({ referenceRun, runReference }: References, run: number): number {
  return runReference?.at(run) ?? lowerRow(referenceRun, run + 1) - 1
}

/**
 * Returns the first row in [low, high) whose value is at least the given one. The column must be ascending.
 * @param high by default the length of the column
 */
export function lowerRow(
  column: NumberColumn,
  value: number,
  low = 0,
  high = column.length,
): number {
  // A search of an array does not call a method for each step.
  const array = ArrayBuffer.isView(column) ? (column as NumberArray) : undefined
  let from = low
  let to = high
  while (from < to) {
    const middle = (from + to) >>> 1
    const found = array ? array[middle]! : column.at(middle)!
    if (found < value) from = middle + 1
    else to = middle
  }
  return from
}

/** Returns the greatest number of bytes that a directory keeps in memory. */
export const directoryMemory = (directory: Directory): number =>
  columnsIn(directory).reduce((sum, [, column]) => sum + columnMemory(column), 0)

/** Returns the columns by name, in the order of the schema. */
function columnsIn(directory: Directory): [string, PageableColumn][] {
  const given: Partial<Record<string, PageableColumn | number>> = directory
  return Object.keys(COLUMNS).flatMap((name) => {
    const column = given[name]
    return typeof column === 'object' ? [[name, column]] : []
  })
}

interface DirectoryFacts extends FileIdentity {
  readonly records: number
}

/** Writes the directory beside its file, with the identity of that file. */
export async function saveDirectory(
  path: string,
  directory: Directory,
  { size, modified, inode }: FileIdentity,
): Promise<void> {
  const facts = { size, modified, inode, records: directory.records }
  await writeArrays(path, facts, Object.fromEntries(columnsIn(directory)))
}

interface LoadedDirectory {
  readonly directory: Directory
  readonly facts: DirectoryFacts
  /** Closes the file. The directory must not be used afterwards. */
  close(): Promise<void>
}

/**
 * Reads a directory. A large one stays on disk, and its pages are read when they are used.
 * @param pagedBytes size from which a directory counts as large
 * @throws EngineError corrupt_source if the file is damaged or not a directory
 */
export async function loadDirectory(
  path: string,
  pagedBytes = PAGED_BYTES,
): Promise<LoadedDirectory> {
  const { facts, columns, close } =
    (await stat(path)).size < pagedBytes ? await wholeArrays(path) : await openArrays(path, COLUMNS)
  try {
    const known = typedFacts(facts, { ...IDENTITY_FACTS, records: 'number' })
    const { records } = known
    const directory = await new LoopTurns().run(completed({ ...columns, records }))
    return { directory, facts: known, close }
  } catch (error) {
    await close()
    throw error
  }
}

async function wholeArrays(path: string) {
  const { facts, arrays } = await readArrays(path, COLUMNS)
  return { facts, columns: arrays, close: async () => {} }
}

/**
 * Returns whether a directory lacks record counts. If so, it comes from an earlier version, which kept imported
 * indexes unchanged.
 * @throws EngineError corrupt_source if the directory is damaged
 */
export async function lacksCounts(directory: OpenBlob): Promise<boolean> {
  return !(await arrayNames(directory)).includes('runRecords')
}
