import { EngineError } from '../../../shared/errors.ts'
import type { Job } from '../../../shared/executor.ts'
import { type NumberView, numberAt } from './hdf5-file.ts'
import { SPARSE } from './matrix-layout.ts'
import { type FileState, openHdf5 } from './open-files.ts'

export interface ScanInput extends FileState {
  /** Range of entries to read, half-open. */
  readonly start: number
  readonly end: number
  readonly genes: number
  /** Rows of the wanted genes. */
  readonly rows: readonly number[]
  /** Starts of the cells' entries; see Matrix. */
  readonly starts: Float64Array
  /** One number per cell for each of the rows, in shared memory. */
  readonly values: readonly Float64Array[]
}

/**
 * Collects the numbers of some genes by cell. A matrix stored by cell has no index of genes, so all of it is
 * scanned.
 */
export const scanJob: Job<ScanInput, null> = {
  name: 'single-cell.scan',
  async run({ start, end, genes, rows, starts, values, ...state }, scratch) {
    const file = await openHdf5(state, scratch)
    const slots = new Uint8Array(genes)
    for (const [i, row] of rows.entries()) slots[row] = i + 1
    const found = file.view(SPARSE.indices, [[start, end]], (view) => findIn(view, slots))
    const [first, last] = [found.places.at(0), found.places.at(-1)]
    if (first === undefined || last === undefined) return null
    file.view(SPARSE.data, [[start + first, start + last + 1]], (data) => {
      let cell = cellOf(start + first, starts)
      for (const [i, place] of found.places.entries()) {
        while ((starts[cell + 1] ?? Infinity) <= start + place) cell++
        const into = values[found.genes[i] ?? 0]
        // Duplicate entries are summed.
        if (into) into[cell] = (into[cell] ?? 0) + numberAt(data, place - first)
      }
    })
    return null
  },
}

/** Returns the positions of the genes' entries, and which gene each belongs to. */
function findIn(view: NumberView, slots: Uint8Array) {
  const places: number[] = []
  const genes: number[] = []
  for (const [i, row] of rowsIn(view, slots.length).entries()) {
    const slot = slots[row]!
    if (slot === 0) continue
    places.push(i)
    genes.push(slot - 1)
  }
  return { places, genes }
}

/**
 * Returns the gene of each entry.
 * @throws EngineError corrupt_source for one that the file does not have
 */
export function rowsIn({ values, step }: NumberView, genes: number): Uint32Array {
  const rows = new Uint32Array(values.length / step)
  for (let i = 0, at = 0; i < rows.length; i++, at += step) {
    const row = values[at]!
    const isKnown = row >= 0 && row < genes && (step === 1 || values[at + 1] === 0)
    if (!isKnown) throw outside(row, genes)
    rows[i] = row
  }
  return rows
}

const outside = (row: number, genes: number) =>
  new EngineError(
    'corrupt_source',
    `the HDF5 file cannot be used: "${SPARSE.indices}" names row ${row} of ${genes}`,
  )

/** Returns the last cell that starts at or before an entry. */
export function cellOf(entry: number, starts: Float64Array): number {
  let [low, high] = [0, starts.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >>> 1
    if ((starts[middle] ?? 0) <= entry) low = middle
    else high = middle - 1
  }
  return low
}

/** Entries per job. */
const SCAN_ENTRIES = 1 << 18

/** Yields ranges of entries of whole cells, so that no two jobs write to the same cell. */
export function* entrySpans(
  starts: Float64Array,
): Generator<{ readonly start: number; readonly end: number }, undefined> {
  let start = 0
  for (let cell = 1; cell < starts.length; cell++) {
    const [end = 0, next = Infinity] = [starts[cell], starts[cell + 1]]
    if (next - start <= SCAN_ENTRIES || end === start) continue
    yield { start, end }
    start = end
  }
  return undefined
}
