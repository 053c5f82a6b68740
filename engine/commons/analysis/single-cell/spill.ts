import type { Job } from '../../../shared/executor.ts'
import { numberAt } from './hdf5-file.ts'
import { SPARSE } from './matrix-layout.ts'
import { type FileState, openHdf5 } from './open-files.ts'
import { cellOf, rowsIn } from './scan.ts'

interface EntriesInput extends FileState {
  /** Range of entries to read, half-open. */
  readonly start: number
  readonly end: number
}

export interface CountInput extends EntriesInput {
  /** Number of entries by gene, in shared memory. */
  readonly counts: Uint32Array
}

/** Counts the entries of each gene. */
export const countJob: Job<CountInput, null> = {
  name: 'single-cell.count',
  async run({ start, end, counts, ...state }, scratch) {
    const file = await openHdf5(state, scratch)
    file.view(SPARSE.indices, [[start, end]], (view) => {
      for (const row of rowsIn(view, counts.length)) Atomics.add(counts, row, 1)
    })
    return null
  },
}

export interface SpillInput extends EntriesInput {
  /** Starts of the cells' entries; see Matrix. */
  readonly starts: Float64Array
  /** Group of each gene, in shared memory. */
  readonly groupOf: Uint32Array
  readonly groups: number
}

/** Entries sorted by group, and within a group by position in the file. */
export interface Spilled {
  /** Entries, each with its gene, its cell, and the number. */
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Groups with entries, and the entry at which each ends. */
  readonly groups: Uint32Array
  readonly ends: Uint32Array
}

/** Bytes per entry: gene and cell of 32 bits each, and a double. */
export const ENTRY_BYTES = 16

/** Sorts a range of entries into groups of genes. */
export const spillJob: Job<SpillInput, Spilled> = {
  name: 'single-cell.spill',
  async run({ start, end, starts, groupOf, groups, ...state }, scratch) {
    const file = await openHdf5(state, scratch)
    const rows = file.view(SPARSE.indices, [[start, end]], (view) => rowsIn(view, groupOf.length))
    const next = new Uint32Array(groups + 1)
    for (const row of rows) {
      const group = groupOf[row]!
      next[group + 1] = next[group + 1]! + 1
    }
    for (let group = 0; group < groups; group++) {
      next[group + 1] = next[group + 1]! + next[group]!
    }
    const bytes = new Uint8Array(ENTRY_BYTES * rows.length)
    const places = new Uint32Array(bytes.buffer)
    const numbers = new Float64Array(bytes.buffer)
    file.view(SPARSE.data, [[start, end]], (data) => {
      let cell = cellOf(start, starts)
      for (const [i, row] of rows.entries()) {
        while ((starts[cell + 1] ?? Infinity) <= start + i) cell++
        const group = groupOf[row]!
        const to = next[group]!
        next[group] = to + 1
        places[4 * to] = row
        places[4 * to + 1] = cell
        numbers[2 * to + 1] = numberAt(data, i)
      }
    })
    // Each position has advanced to the end of its group.
    const filled = [...next.subarray(0, groups).entries()].filter(
      ([group, at]) => at > (group === 0 ? 0 : next[group - 1]!),
    )
    return {
      bytes,
      groups: Uint32Array.from(filled, ([group]) => group),
      ends: Uint32Array.from(filled, ([, at]) => at),
    }
  },
  transfer: ({ bytes }) => [bytes.buffer],
}
