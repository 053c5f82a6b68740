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
  /** Row numbers of the requested genes. */
  readonly rows: readonly number[]
  /** Index of the first entry of each cell, or of each gene if the matrix is stored by gene; see Matrix. */
  readonly starts: Float64Array
  /** Output in shared memory: for each of `rows`, an array with one value per cell. */
  readonly values: readonly Float64Array[]
}

/** Adds the values of the requested genes in a range of entries to the output. */
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
        // Values of duplicate entries are added.
        into[cell] = into[cell]! + numberAt(view, i)
      }
    })
    return null
  },
}

/**
 * Yields ranges of entries that may belong to the requested genes. A matrix stored by cell has no index by
 * gene, so all entries are scanned.
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
