import type { Job } from '../executor.ts'
import type { CellNames } from './cell-names.ts'
import { MATRIX } from './matrix-layout.ts'
import { type FileState, openHdf5 } from './open-files.ts'

export interface CellsInput {
  readonly names: CellNames
  /** Numbers of these cells in shared memory, or where in a dense matrix they are. */
  readonly values:
    | Float64Array
    | (FileState & { readonly row: number; readonly start: number; readonly end: number })
}

/** Around the name and the number of a cell, with what a double takes at most. */
const MOST_AROUND = '{"cell_id":,"value":},'.length + 25

/** Writes a stretch of the cells of one gene as JSON, with commas between them. */
export const cellsJob: Job<CellsInput, Uint8Array<ArrayBuffer>> = {
  name: 'single-cell.cells',
  async run({ names, values }, scratch) {
    const numbers = values instanceof Float64Array ? values : await rowPart(values)
    const room = scratch.bytes(
      'single-cell.cells',
      names.bytes.length + MOST_AROUND * numbers.length,
    )
    return Uint8Array.from(room.subarray(0, writeCells(room, names, numbers)))

    async function rowPart({ row, start, end, ...state }: Exclude<typeof values, Float64Array>) {
      const file = await openHdf5(state, scratch)
      return file.numbers(MATRIX, [
        [row, row + 1],
        [start, end],
      ])
    }
  },
  transfer: (bytes) => [bytes.buffer],
}

const BEFORE_NAME = Buffer.from('{"cell_id":')
const BEFORE_VALUE = Buffer.from(',"value":')
const ZERO_END = Buffer.from(',"value":0.0},')
const END = Buffer.from('},')

function writeCells(into: Buffer, { bytes, ends }: CellNames, numbers: Float64Array): number {
  let at = 0
  const put = (text: Uint8Array) => {
    into.set(text, at)
    at += text.length
  }
  for (const [i, number] of numbers.entries()) {
    put(BEFORE_NAME)
    put(bytes.subarray(i === 0 ? 0 : ends[i - 1], ends[i]))
    // Most numbers of a cell are none.
    if (number === 0) {
      put(ZERO_END)
      continue
    }
    put(BEFORE_VALUE)
    at += into.write(numberText(number), at, 'latin1')
    put(END)
  }
  return Math.max(at - 1, 0)
}

/** As a double is printed, so that readers with types see one; JSON has no word for what is none. */
function numberText(value: number): string {
  if (!Number.isFinite(value)) return 'null'
  const text = String(value)
  return /^-?\d+$/.test(text) ? `${text}.0` : text
}
