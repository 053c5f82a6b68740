import type { Job } from '../../../shared/executor.ts'
import { cellsIn, countGenes, genesIn, viewEntries } from './entries.ts'
import { numberAt } from './hdf5-file.ts'
import type { SparseLayout } from './layout.ts'
import { type FileState, openHdf5 } from './open-files.ts'

interface EntriesInput extends FileState {
  readonly layout: SparseLayout
  /** Index of the first entry of each cell, or of each gene if the matrix is stored by gene; see Matrix. */
  readonly starts: Float64Array
  /** Range of entries to read, 0-based and half-open. */
  readonly start: number
  readonly end: number
}

interface CountInput extends EntriesInput {
  /** Number of entries of each gene, in shared memory. */
  readonly counts: Uint32Array
}

/** Counts the entries of each gene in a range. */
export const countJob: Job<CountInput, null> = {
  name: 'single-cell.count',
  async run({ layout, starts, start, end, counts, ...state }, scratch) {
    const source = { file: await openHdf5(state, scratch), layout, starts }
    countGenes(source, { start, end }, counts)
    return null
  },
}

interface SpillInput extends EntriesInput {
  /** Number of each gene's group, in shared memory. */
  readonly groupOf: Uint32Array
  readonly groups: number
}

/** Entries sorted by group of genes. Within a group, the entries of each gene are sorted by cell. */
interface Spilled {
  /** Encoded entries, each with its gene, its cell and its value. */
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Numbers of the groups that have entries. `ends` is the index after the last entry of each group. */
  readonly groups: Uint32Array
  readonly ends: Uint32Array
}

/** Size of an encoded entry in bytes: gene and cell of 32 bits each, and a double. */
export const ENTRY_BYTES = 16

/** Sorts a range of entries by group of genes. */
export const spillJob: Job<SpillInput, Spilled> = {
  name: 'single-cell.spill',
  async run({ layout, starts, start, end, groupOf, groups, ...state }, scratch) {
    const source = { file: await openHdf5(state, scratch), layout, starts }
    const genes = genesIn(source, { start, end })
    const cells = cellsIn(source, { start, end })
    return viewEntries(source, { start, end }, (view) => {
      // Zeros of a dense matrix are skipped here, as they were when entries were counted.
      const isKept = (i: number) => layout.indices !== undefined || numberAt(view, i) !== 0
      const next = new Uint32Array(groups + 1)
      for (const [i, gene] of genes.entries()) {
        const group = groupOf[gene]!
        if (isKept(i)) next[group + 1] = next[group + 1]! + 1
      }
      for (let group = 0; group < groups; group++) {
        next[group + 1] = next[group + 1]! + next[group]!
      }
      const bytes = new Uint8Array(ENTRY_BYTES * next[groups]!)
      const places = new Uint32Array(bytes.buffer)
      const numbers = new Float64Array(bytes.buffer)
      const order = layout.keptBy === 'gene' ? orderByCell(genes, cells) : undefined
      for (let place = 0; place < genes.length; place++) {
        const i = order?.[place] ?? place
        if (!isKept(i)) continue
        const gene = genes[i]!
        const group = groupOf[gene]!
        const to = next[group]!
        next[group] = to + 1
        places[4 * to] = gene
        places[4 * to + 1] = cells[i]!
        numbers[2 * to + 1] = numberAt(view, i)
      }
      // `next` of a group was its start, and is now its end.
      const filled = [...next.subarray(0, groups).entries()].filter(
        ([group, at]) => at > (group === 0 ? 0 : next[group - 1]!),
      )
      return {
        bytes,
        groups: Uint32Array.from(filled, ([group]) => group),
        ends: Uint32Array.from(filled, ([, at]) => at),
      }
    })
  },
  transfer: ({ bytes }) => [bytes.buffer],
}

/**
 * Returns a permutation that sorts the entries by gene and cell. Undefined if they are already sorted: files may
 * have the entries of a cell in any order.
 */
function orderByCell(genes: Uint32Array, cells: Uint32Array): Uint32Array | undefined {
  const isSorted = cells.every(
    (cell, i) => i === 0 || genes[i] !== genes[i - 1] || cell >= cells[i - 1]!,
  )
  if (isSorted) return undefined
  return Uint32Array.from(cells.keys()).sort(
    (a, b) => genes[a]! - genes[b]! || cells[a]! - cells[b]! || a - b,
  )
}
