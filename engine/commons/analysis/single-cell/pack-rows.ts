import type { Job } from '../../../shared/executor.ts'
import { numberAt } from './hdf5-file.ts'
import { MATRIX } from './matrix-layout.ts'
import { type FileState, openHdf5 } from './open-files.ts'
import { BlockWriter, type PackedBlocks } from './packed-blocks.ts'

interface PackRowsInput extends FileState {
  /** Range of rows and range of at most EXTENT_CELLS cells, both half-open. */
  readonly firstRow: number
  readonly endRow: number
  readonly start: number
  readonly end: number
}

/** Encodes a part of a dense matrix, one block per row. */
export const packRowsJob: Job<PackRowsInput, PackedBlocks> = {
  name: 'single-cell.pack-rows',
  async run({ firstRow, endRow, start, end, ...state }, scratch) {
    const file = await openHdf5(state, scratch)
    const spans = [
      [firstRow, endRow],
      [start, end],
    ] as const
    return file.view(MATRIX, spans, (view) => {
      const cells = end - start
      const wide = view.step === 2 ? new Float64Array(cells) : undefined
      const blocks = new BlockWriter(endRow - firstRow, scratch)
      for (let at = 0; at < cells * (endRow - firstRow); at += cells) {
        for (let i = 0; wide && i < cells; i++) wide[i] = numberAt(view, at + i)
        blocks.add(wide ?? view.values.subarray(at, at + cells))
      }
      return blocks.finish()
    })
  },
  transfer: ({ bytes }) => [bytes.buffer],
}
