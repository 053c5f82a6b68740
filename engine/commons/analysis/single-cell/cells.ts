import type { Job, Scratch } from '../../../shared/executor.ts'
import type { CellNames } from './cell-names.ts'
import {
  type CellTemplate,
  mostPrintedBytes,
  NumberTexts,
  printCells,
  templateOf,
} from './cell-template.ts'
import { MATRIX } from './matrix-layout.ts'
import { type FileState, openHdf5 } from './open-files.ts'

interface CellsInput extends FileState {
  readonly names: CellNames
  /** Range of cells, 0-based and half-open. */
  readonly start: number
  readonly end: number
  /** Values of these cells in shared memory, or the row of the dense matrix from which to read them. */
  readonly values: Float64Array | number
}

/** Writes a range of cells of one gene as JSON, separated by commas. */
export const cellsJob: Job<CellsInput, Uint8Array<ArrayBuffer>> = {
  name: 'single-cell.cells',
  async run({ names, start, end, values, ...state }, scratch) {
    const numbers = typeof values === 'number' ? await rowPart(values) : values
    const key = JSON.stringify(['single-cell.template', state, start, end])
    const template = scratch.cached(key, () => templateOf(names))
    const target = scratch.bytes('single-cell.cells', mostPrintedBytes(template))
    return new Uint8Array(target.subarray(0, printInto(target, 0, { template, numbers, scratch })))

    async function rowPart(row: number) {
      const file = await openHdf5(state, scratch)
      return file.numbers(MATRIX, [
        [row, row + 1],
        [start, end],
      ])
    }
  },
  transfer: (bytes) => [bytes.buffer],
}

interface Printed {
  readonly template: CellTemplate
  readonly numbers: Float64Array
  readonly scratch: Scratch
}

/**
 * Writes a range of cells as JSON into a buffer.
 * @returns the end offset
 */
export function printInto(
  into: Buffer,
  start: number,
  { template, numbers, scratch }: Printed,
): number {
  const texts = scratch.cached('single-cell.number-texts', () => new NumberTexts())
  return printCells(template, numbers, texts, into, start)
}
