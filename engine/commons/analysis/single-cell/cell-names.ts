import { EngineError } from '../../../shared/errors.ts'
import type { Job } from '../../../shared/executor.ts'
import { type FileState, openHdf5 } from './open-files.ts'

interface CellNamesInput extends FileState {
  readonly cellsPath: string
  readonly start: number
  readonly end: number
}

/** Names of a range of cells, concatenated as JSON strings, in shared memory. */
export interface CellNames {
  readonly bytes: Uint8Array
  /** End offset of each name in `bytes`. */
  readonly ends: Uint32Array
}

/** Maximum length in bytes of a name as a JSON string, on average over a range. */
const MAX_NAME_BYTES = 256

/**
 * Reads the names of a range of cells. All genes of a response have the same names.
 * @throws EngineError too_large if names are longer than MAX_NAME_BYTES on average
 */
export const cellNamesJob: Job<CellNamesInput, CellNames> = {
  name: 'single-cell.cell-names',
  async run({ cellsPath, start, end, ...state }, scratch) {
    const file = await openHdf5(state, scratch)
    const names = file.texts(cellsPath, [start, end]).map((name) => JSON.stringify(name))
    const all = Buffer.from(names.join(''))
    if (all.length > MAX_NAME_BYTES * names.length) {
      const mean = Math.ceil(all.length / names.length)
      const message = `the names of cells ${start} to ${end - 1} have ${mean} bytes on average; at most ${MAX_NAME_BYTES} are read`
      throw new EngineError('too_large', message)
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

/** Encodes names as one block: number of names, end offsets, JSON strings. */
export function packNames({ bytes, ends }: CellNames): Uint8Array<ArrayBuffer> {
  const block = new Uint8Array(4 + ends.byteLength + bytes.length)
  const places = new Uint32Array(block.buffer, 0, 1 + ends.length)
  places[0] = ends.length
  places.set(ends, 1)
  block.set(bytes, places.byteLength)
  return block
}

/** Decodes names without copying. Returns undefined if the block does not have that many. */
export function unpackNames(block: Uint8Array<ArrayBuffer>, cells: number): CellNames | undefined {
  const head = 4 * (cells + 1)
  if (block.length < head) return undefined
  const [count] = new Uint32Array(block.buffer, block.byteOffset, 1)
  const ends = new Uint32Array(block.buffer, block.byteOffset + 4, cells)
  const bytes = block.subarray(head)
  if (count !== cells || (ends.at(-1) ?? 0) !== bytes.length) return undefined
  return { bytes, ends }
}
