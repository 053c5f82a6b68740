import { EngineError } from '../../../shared/errors.ts'
import type { Job } from '../../../shared/executor.ts'
import { type GeneNames, idsInExtents, orderGenes } from './gene-names.ts'
import type { MatrixLayout } from './layout.ts'
import { requireFewCells, startsOf } from './matrix.ts'
import { layoutOf, MATRIX } from './matrix-layout.ts'
import { EXTENT_CELLS } from './number-block.ts'
import { type FileState, openHdf5 } from './open-files.ts'

interface SurveyInput extends FileState {
  readonly mostCells: number
}

/** Properties of a file that are needed to sort its values by gene. */
export interface Survey {
  readonly layout: MatrixLayout
  readonly genes: GeneNames
  /** Number of rows per chunk of a dense matrix, because rows of a chunk are decompressed together. */
  readonly rowsTogether: number
  /** Index of the first entry of each cell, or of each gene if the matrix is stored by gene; see Matrix. */
  readonly starts: Float64Array | undefined
}

/** Maximum number of blocks per file. Their offsets, lengths and checksums take 64 MB. */
const MAX_BLOCKS = 1 << 22

/** Reads the layout of a file and the ids of its genes. */
export const surveyJob: Job<SurveyInput, Survey> = {
  name: 'single-cell.survey',
  async run({ mostCells, ...state }, scratch) {
    const file = await openHdf5(state, scratch)
    const layout = layoutOf(file)
    requireFewCells(layout, mostCells)
    if (layout.genes * Math.ceil(layout.cells / EXTENT_CELLS) > MAX_BLOCKS) {
      const message = `${layout.genes} genes of ${layout.cells} cells are more than can be sorted`
      throw new EngineError('too_large', message)
    }
    const ids = idsInExtents(layout.genes, (span) => file.texts(layout.genesPath, span))
    return {
      layout,
      genes: orderGenes([...ids]),
      rowsTogether: file.factsOf(layout.kind === 'dense' ? MATRIX : layout.data).chunk?.[0] ?? 1,
      starts: startsOf(layout, file),
    }
  },
}
