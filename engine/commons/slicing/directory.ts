import { arrayNames, readArrays, writeArrays } from '../../shared/arrays/array-file.ts'
import { type ArraySchema, type ArraysOf, typedFacts } from '../../shared/arrays/array-schema.ts'
import type { OpenBlob } from '../../shared/blobs/blob.ts'
import { type FileIdentity, IDENTITY_FACTS } from '../../shared/blobs/identity.ts'

const COLUMNS = {
  blockOffset: ['Float64Array'],
  blockLength: ['Uint32Array'],
  checksum: ['Uint32Array'],
  runBlock: ['Uint32Array'],
  runInner: ['Uint16Array'],
  runFirst: ['Int32Array', 'Float64Array'],
  runLast: ['Int32Array', 'Float64Array'],
  runEnd: ['Int32Array', 'Float64Array'],
  runRecords: ['Uint16Array', 'absent'],
  runUnmapped: ['Uint16Array', 'absent'],
  referenceRun: ['Uint32Array'],
  referenceEnd: ['Uint32Array', 'absent'],
  runReference: ['Uint32Array', 'absent'],
} as const satisfies ArraySchema

/** Positions of records. Those of lines may exceed 32 bits. */
export type Positions = Int32Array | Float64Array

/**
 * Facts about every block of a file of sorted records, collected in one pass: its position, a CRC32 of its
 * compressed bytes (the ledger), and the records that start in it. With it, a slice is planned by binary
 * search alone, and copied bytes are verified without inflating them.
 *
 * A run is the records of one reference that start in one block. Runs are in file order, and the runs of a
 * reference are contiguous and sorted by position. Records without a reference come last, as runs of an
 * additional reference whose number is the reference count.
 *
 * Parallel arrays with one row per block: blockOffset (bytes from the start of the file, with an additional
 * row for the end of the last block), blockLength, checksum. One row per run: runBlock, runInner (inflated
 * offset of the first record in that block), runFirst and runLast (smallest and largest start), runEnd
 * (largest end, exclusive), all positions 0-based; runRecords and runUnmapped (number of records, and of
 * unmapped ones), which earlier versions did not write. referenceRun[r] is the first run of reference r. If
 * references are not in the order of their numbers, referenceEnd[r] is the run after the last one of r, and
 * runReference has the reference of each run; otherwise both are absent (runsOfReference).
 */
export type StoredDirectory = ArraysOf<typeof COLUMNS> & { readonly records: number }

export type Directory = StoredDirectory & {
  /**
   * Largest runEnd of the reference up to and including this run, for finding records that reach into an
   * interval.
   */
  readonly reach: Positions
  /** Ascending rows that are preceded by empty blocks. */
  readonly afterGap: readonly number[]
}

/** Adds the derived arrays. */
function completeDirectory(stored: StoredDirectory): Directory {
  const { runEnd, referenceRun, blockOffset, blockLength } = stored
  const reach =
    runEnd instanceof Float64Array ? new Float64Array(runEnd.length) : new Int32Array(runEnd.length)
  for (let r = 0; r + 1 < referenceRun.length; r++) {
    let greatest = -1
    const [first, next] = runsOfReference(stored, r)
    for (let run = first; run < next; run++) {
      greatest = Math.max(greatest, runEnd[run]!)
      reach[run] = greatest
    }
  }
  const afterGap: number[] = []
  for (let row = 1; row < blockLength.length; row++) {
    if (blockOffset[row - 1]! + blockLength[row - 1]! < blockOffset[row]!) afterGap.push(row)
  }
  return { ...stored, reach, afterGap }
}

type References = Pick<StoredDirectory, 'referenceRun' | 'referenceEnd' | 'runReference'>

/** Returns the first run of a reference and the one after its last. They are equal if it has no records. */
export function runsOfReference(
  { referenceRun, referenceEnd }: References,
  reference: number,
): readonly [number, number] {
  const next = referenceEnd ? referenceEnd[reference] : referenceRun[reference + 1]
  return [referenceRun[reference]!, next!]
}

/** Returns the reference of a run. If several start there, it is the last, since the others are empty. */
export function referenceOfRun({ referenceRun, runReference }: References, run: number): number {
  return runReference?.[run] ?? lowerBlock(referenceRun, run + 1) - 1
}

/** Returns the first run in [low, high) whose value in the ascending column is not below `value`. */
export function lowerRun(column: Positions, low: number, high: number, value: number): number {
  let from = low
  let to = high
  while (from < to) {
    const middle = (from + to) >>> 1
    if (column[middle]! < value) from = middle + 1
    else to = middle
  }
  return from
}

/** Returns the first row whose offset is not below the given one. */
export function lowerBlock(blockOffset: ArrayLike<number>, offset: number): number {
  let low = 0
  let high = blockOffset.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (blockOffset[middle]! < offset) low = middle + 1
    else high = middle
  }
  return low
}

interface DirectoryFacts extends FileIdentity {
  readonly records: number
}

/** Writes the directory beside its file, with the identity of the file that it was built from. */
export async function saveDirectory(
  path: string,
  directory: StoredDirectory,
  { size, modified, inode }: FileIdentity,
): Promise<void> {
  const { records } = directory
  // Picks the stored arrays, since a loaded directory also has derived ones.
  const { blockOffset, blockLength, checksum, referenceRun, referenceEnd, runReference } = directory
  const { runBlock, runInner, runFirst, runLast, runEnd, runRecords, runUnmapped } = directory
  const blocks = { blockOffset, blockLength, checksum }
  const counts = runRecords && runUnmapped ? { runRecords, runUnmapped } : {}
  const order = referenceEnd && runReference ? { referenceEnd, runReference } : {}
  const runs = { runBlock, runInner, runFirst, runLast, runEnd, ...counts, referenceRun, ...order }
  await writeArrays(path, { size, modified, inode, records }, { ...blocks, ...runs })
}

/**
 * Reads a directory.
 * @throws EngineError corrupt_source if the file is damaged or not a directory
 */
export async function loadDirectory(
  path: string,
): Promise<{ directory: Directory; facts: DirectoryFacts }> {
  const { facts, arrays } = await readArrays(path, COLUMNS)
  const known = typedFacts(facts, { ...IDENTITY_FACTS, records: 'number' })
  const { records } = known
  return { directory: completeDirectory({ ...arrays, records }), facts: known }
}

/**
 * Returns whether a directory lacks record counts. It then comes from an earlier version, which kept imported
 * indexes as they were.
 * @throws EngineError corrupt_source
 */
export async function lacksCounts(directory: OpenBlob): Promise<boolean> {
  return !(await arrayNames(directory)).includes('runRecords')
}
