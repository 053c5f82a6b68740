import type { Job } from '../../../shared/executor.ts'
import { cellsIn, type EntrySpan, entrySpans, genesIn, viewEntries } from './entries.ts'
import { numberAt } from './hdf5-file.ts'
import type { SparseLayout } from './layout.ts'
import { type FileState, openHdf5 } from './open-files.ts'

interface ScanInput extends FileState {
  /** Range of entries to read, half-open. */
  readonly start: number
  readonly end: number
  readonly layout: SparseLayout
  /** Row numbers of the wanted genes. */
  readonly rows: readonly number[]
  /** First entry of each cell, or of each gene if the matrix is stored by gene; see Matrix. */
  readonly starts: Float64Array
  /** Output: for each of `rows` an array with one number per cell, in shared memory. */
  readonly values: readonly Float64Array[]
}

/** Adds the numbers of the wanted genes to `values`. */
export const scanJob: Job<ScanInput, null> = {
  name: 'single-cell.scan',
  async run({ start, end, layout, rows, starts, values, ...state }, scratch) {
    const source = { file: await openHdf5(state, scratch), layout, starts }
    const slots = new Uint8Array(layout.genes)
    for (const [i, row] of rows.entries()) slots[row] = i + 1
    const genes = genesIn(source, { start, end })
    if (!genes.some((gene) => slots[gene] !== 0)) return null
    const cells = cellsIn(source, { start, end })
    viewEntries(source, { start, end }, (view) => {
      for (const [i, gene] of genes.entries()) {
        const into = values[slots[gene]! - 1]
        if (!into) continue
        const cell = cells[i]!
        // Duplicate entries are summed.
        into[cell] = into[cell]! + numberAt(view, i)
      }
    })
    return null
  },
}

/**
 * Yields the ranges of entries that can belong to these genes. A matrix stored by cell has no index of genes,
 * so all of it is scanned.
 */
export function* spansOf(
  { keptBy }: SparseLayout,
  rows: readonly number[],
  starts: Float64Array,
): Generator<EntrySpan, undefined> {
  if (keptBy === 'cell') return yield* entrySpans(starts)
  for (const row of rows) {
    const [start = 0, end = start] = [starts[row], starts[row + 1]]
    if (end > start) yield { start, end }
  }
  return undefined
}
