import { EngineError } from '../errors.ts'
import type { Job } from '../executor.ts'
import { type FileState, openHdf5 } from './open-files.ts'

export interface CellNamesInput extends FileState {
  readonly cellsPath: string
  readonly start: number
  readonly end: number
}

/** Names of a stretch of cells as JSON texts, one behind the other, in shared memory. */
export interface CellNames {
  readonly bytes: Uint8Array
  /** Where each ends. */
  readonly ends: Uint32Array
}

const MOST_NAME_BYTES = 64

/** Reads names of cells once for all genes. */
export const cellNamesJob: Job<CellNamesInput, CellNames> = {
  name: 'single-cell.cell-names',
  async run({ cellsPath, start, end, ...state }, scratch) {
    const file = await openHdf5(state, scratch)
    const names = file.texts(cellsPath, [start, end]).map((name) => JSON.stringify(name))
    const all = Buffer.from(names.join(''))
    if (all.length > MOST_NAME_BYTES * names.length) {
      const message = `names of cells have more than ${MOST_NAME_BYTES} bytes`
      throw new EngineError('corrupt_source', `the HDF5 file cannot be used: ${message}`)
    }
    const bytes = new Uint8Array(new SharedArrayBuffer(all.length))
    bytes.set(all)
    const ends = new Uint32Array(new SharedArrayBuffer(4 * names.length))
    let length = 0
    for (const [i, name] of names.entries()) {
      length += Buffer.byteLength(name)
      ends[i] = length
    }
    return { bytes, ends }
  },
}
