import { EngineError } from '../../../shared/errors.ts'
import type { Job } from '../../../shared/executor.ts'
import { type GeneNames, idsInExtents, orderGenes } from './gene-names.ts'
import { mustNotBeLarger, startsOf } from './matrix.ts'
import { layoutOf, MATRIX, type MatrixLayout } from './matrix-layout.ts'
import { EXTENT_CELLS } from './number-block.ts'
import { type FileState, openHdf5 } from './open-files.ts'

export interface SurveyInput extends FileState {
  readonly mostCells: number
}

/** What has to be known of a file before its numbers are put in the order of genes. */
export interface Survey {
  readonly layout: MatrixLayout
  readonly genes: GeneNames
  /** Of a table: rows that are unpacked together. */
  readonly rowsTogether: number
  /** See Matrix. */
  readonly starts: Float64Array | undefined
}

/** For each a place, a length and a checksum are kept: 64 MB of them. */
const MAX_BLOCKS = 1 << 22

/** Finds out what a file holds, with the ids of all its genes. */
export const surveyJob: Job<SurveyInput, Survey> = {
  name: 'single-cell.survey',
  async run({ mostCells, ...state }, scratch) {
    const file = await openHdf5(state, scratch)
    const layout = layoutOf(file)
    mustNotBeLarger(layout, mostCells)
    if (layout.genes * Math.ceil(layout.cells / EXTENT_CELLS) > MAX_BLOCKS) {
      const message = `${layout.genes} genes of ${layout.cells} cells are more than can be sorted`
      throw new EngineError('too_large', message)
    }
    const ids = idsInExtents(layout.genes, (span) => file.texts(layout.genesPath, span))
    return {
      layout,
      genes: orderGenes([...ids]),
      rowsTogether: layout.kind === 'dense' ? (file.factsOf(MATRIX).chunk?.[0] ?? 1) : 1,
      starts: startsOf(layout, file),
    }
  },
}
