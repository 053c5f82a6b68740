import { EngineError } from '../../../shared/errors.ts'
import type { Hdf5File } from './hdf5-file.ts'

interface Layout {
  /** Paths of the gene ids and cell names. */
  readonly genesPath: string
  readonly cellsPath: string
  readonly genes: number
  readonly cells: number
}

/** A dense table of genes by cells (loom). */
export interface DenseLayout extends Layout {
  readonly kind: 'dense'
}

/** Non-zero numbers, cell by cell (10x). */
export interface SparseLayout extends Layout {
  readonly kind: 'sparse'
  /** Number of non-zero entries. */
  readonly entries: number
}

export type MatrixLayout = DenseLayout | SparseLayout

export const MATRIX = '/matrix'
export const SPARSE = {
  data: `${MATRIX}/data`,
  indices: `${MATRIX}/indices`,
  starts: `${MATRIX}/indptr`,
} as const

/** Paths of gene ids. Without accessions, the names are used. */
const GENE_PATHS = ['/row_attrs/Accession', '/row_attrs/Gene']

/**
 * Determines how a file stores its main layer, `/matrix` (data-commons-service.md 4.4): a dataset means the
 * loom layout, a group that of 10x.
 * @throws EngineError bad_input for another layout, corrupt_source if its parts are inconsistent
 */
export function layoutOf(file: Hdf5File): MatrixLayout {
  const kind = file.kindOf(MATRIX)
  if (kind === 'dataset') return denseLayout(file)
  if (kind === 'group') return sparseLayout(file)
  if (['/X', '/obs', '/var'].every((path) => file.kindOf(path) !== undefined)) {
    throw unusable('it is an h5ad file of anndata, with "/X" of cells by genes and no "/matrix"')
  }
  const isOld = file.namesIn('/').some((name) => file.kindOf(`/${name}/indptr`) === 'dataset')
  throw unusable(
    isOld
      ? 'it has the old 10x layout of a group per genome and no "/matrix"'
      : 'it has no "/matrix"',
  )
}

function denseLayout(file: Hdf5File): DenseLayout {
  const { kind, shape } = file.factsOf(MATRIX)
  const [genes, cells] = shape
  if (kind !== 'number' || genes === undefined || cells === undefined || shape.length !== 2) {
    throw unusable('its "/matrix" is no table of numbers')
  }
  const genesPath = GENE_PATHS.find((path) => file.kindOf(path) === 'dataset')
  if (!genesPath) throw unusable('it has no ids of genes in "/row_attrs/Accession"')
  const cellsPath = '/col_attrs/CellID'
  if (file.kindOf(cellsPath) !== 'dataset') throw unusable(`it has no "${cellsPath}"`)
  mustList(file, genesPath, genes)
  mustList(file, cellsPath, cells)
  return { kind: 'dense', genesPath, cellsPath, genes, cells }
}

function sparseLayout(file: Hdf5File): SparseLayout {
  const [genesPath, cellsPath] = [`${MATRIX}/features/id`, `${MATRIX}/barcodes`]
  const paths = [genesPath, cellsPath, `${MATRIX}/shape`, ...Object.values(SPARSE)]
  const missing = paths.find((path) => file.kindOf(path) !== 'dataset')
  if (missing) throw unusable(`its "/matrix" is a group without "${missing}"`)
  const sizes = file.factsOf(`${MATRIX}/shape`)
  if (sizes.kind !== 'number' || sizes.shape[0] !== 2)
    throw unusable('its shape is not two numbers')
  const [genes = 0, cells = 0] = file.numbers(`${MATRIX}/shape`, [[0, 2]])
  const [entries = 0] = file.factsOf(SPARSE.indices).shape
  mustList(file, genesPath, genes)
  mustList(file, cellsPath, cells)
  mustList(file, SPARSE.data, entries, 'number')
  mustList(file, SPARSE.indices, entries, 'number')
  mustList(file, SPARSE.starts, cells + 1, 'number')
  return { kind: 'sparse', genesPath, cellsPath, genes, cells, entries }
}

function mustList(
  file: Hdf5File,
  path: string,
  length: number,
  kind: 'text' | 'number' = 'text',
): void {
  const facts = file.factsOf(path)
  if (facts.kind === kind && facts.shape.length === 1 && facts.shape[0] === length) return
  const what = kind === 'text' ? 'texts' : 'numbers'
  throw new EngineError(
    'corrupt_source',
    `the HDF5 file cannot be used: "${path}" is not a list of ${length} ${what}`,
  )
}

const unusable = (what: string) =>
  new EngineError(
    'bad_input',
    `the HDF5 file holds no matrix of a layout that is known here: ${what}; give a loom file ("/matrix" of genes by cells, "/row_attrs/Accession", "/col_attrs/CellID") or one of 10x version 3`,
    { at: 'file_id' },
  )
