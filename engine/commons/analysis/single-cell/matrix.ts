import { EngineError } from '../../../shared/errors.ts'
import type { Cached, Job } from '../../../shared/executor.ts'
import { type GeneNames, idsInExtents, orderGenes, rowOfGene } from './gene-names.ts'
import type { Hdf5File } from './hdf5-file.ts'
import type { MatrixLayout } from './layout.ts'
import { layoutOf } from './matrix-layout.ts'
import { type FileState, openHdf5 } from './open-files.ts'

interface MatrixInput extends FileState {
  readonly geneIds: readonly string[]
  readonly mostCells: number
}

export interface Matrix {
  readonly layout: MatrixLayout
  /** Row of each requested gene, or undefined if the file does not have the gene. */
  readonly rows: readonly (number | undefined)[]
  /**
   * Index of the first entry of each cell of a sparse matrix (or of each gene if it is stored by gene), followed
   * by the number of entries. In shared memory. Undefined for a dense matrix, or if the file has none of the
   * genes.
   */
  readonly starts: Float64Array | undefined
}

const MAX_GENES = 1_000_000
/** Maximum number of cells in a file. A request then needs about 60 MB for names and values. */
export const MAX_CELLS = 1 << 20

/** Reads the layout of a file and finds the rows of the requested genes. */
export const matrixJob: Job<MatrixInput, Matrix> = {
  name: 'single-cell.matrix',
  async run({ geneIds, mostCells, ...state }, scratch) {
    const file = await openHdf5(state, scratch)
    const layout = layoutOf(file)
    requireFewCells(layout, mostCells)
    const key = `single-cell.genes ${JSON.stringify(state)}`
    const most = MAX_CACHED_BYTES / MIN_GENE_BYTES
    const read = () => readGenes(layout, file)
    const known = layout.genes <= most ? scratch.cached(key, read) : read()
    const rows = geneIds.map((id) => rowOfGene(id, known))
    const isWanted = rows.some((row) => row !== undefined)
    return { layout, rows, starts: isWanted ? startsOf(layout, file) : undefined }
  },
}

/**
 * Throws if a matrix has too many cells or genes.
 * @throws EngineError too_large for more than MAX_GENES genes or `mostCells` cells
 */
export function requireFewCells({ genes, cells }: MatrixLayout, mostCells: number): void {
  if (cells <= mostCells && genes <= MAX_GENES) return
  throw new EngineError(
    'too_large',
    `the file has ${genes} genes and ${cells} cells; at most ${MAX_GENES} and ${mostCells} are read`,
  )
}

/** Maximum size of cached gene ids in bytes. Longer lists are read again for each request. */
const MAX_CACHED_BYTES = 8 << 20
/** Minimum size of a cached gene in bytes: its id, its end offset, and its position in both orders. */
const MIN_GENE_BYTES = 27

interface CachedNames extends GeneNames, Cached {}

function readGenes({ genesPath, genes }: MatrixLayout, file: Hdf5File): CachedNames {
  const ordered = orderGenes([...idsInExtents(genes, (span) => file.texts(genesPath, span))])
  const bytes = Object.values(ordered).reduce((sum, { byteLength }) => sum + byteLength, 0)
  return { ...ordered, bytes }
}

/**
 * Reads the index of the first entry of each cell or gene of a sparse matrix.
 * @throws EngineError corrupt_source if the index is damaged
 */
export function startsOf(layout: MatrixLayout, file: Hdf5File): Float64Array | undefined {
  if (layout.kind === 'dense') return undefined
  const { keptBy, entries, genes, cells } = layout
  const majors = keptBy === 'gene' ? genes : cells
  const starts = new Float64Array(new SharedArrayBuffer(8 * (majors + 1)))
  if (layout.starts === undefined) {
    for (let cell = 0; cell <= cells; cell++) starts[cell] = cell * genes
    return starts
  }
  starts.set(file.numbers(layout.starts, [[0, majors + 1]]))
  const isRising = starts.every((start, i) => start >= (starts[i - 1] ?? 0))
  if (isRising && starts[0] === 0 && starts[majors] === entries) return starts
  throw new EngineError(
    'corrupt_source',
    `the HDF5 file cannot be used: "${layout.starts}" does not lead from 0 to ${entries}`,
  )
}
