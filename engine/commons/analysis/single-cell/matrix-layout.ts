import { EngineError } from '../../../shared/errors.ts'
import { anndataLayout, isAnndata } from './anndata-layout.ts'
import type { Hdf5File } from './hdf5-file.ts'
import { layersOf } from './layers.ts'
import type { DenseLayout, MatrixLayout, SparseLayout } from './layout.ts'
import { notNumbers, requireList, sparseLists, sparsePaths } from './sparse-lists.ts'

export const MATRIX = '/matrix'

/** Paths of gene ids in a loom file, in order of preference: accessions, then names. */
const GENE_PATHS = ['/row_attrs/Accession', '/row_attrs/Gene']

/**
 * Determines how a file stores its matrix (data-commons-service.md 4.4). In a loom file, `/matrix` is a dataset;
 * in a 10x file, it is a group. An h5ad file has `/X` instead.
 * @throws EngineError bad_input for any other layout; corrupt_source if its parts are inconsistent
 */
export function layoutOf(file: Hdf5File): MatrixLayout {
  const kind = file.kindOf(MATRIX)
  if (kind === 'dataset') return denseLayout(file)
  if (kind === 'group') return sparseLayout(file)
  if (isAnndata(file)) return anndataLayout(file)
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
  if (kind === 'truth') throw notNumbers(MATRIX)
  if (kind !== 'number' || genes === undefined || cells === undefined || shape.length !== 2) {
    throw unusable('its "/matrix" is no table of numbers')
  }
  const genesPath = GENE_PATHS.find((path) => file.kindOf(path) === 'dataset')
  if (!genesPath) throw unusable('it has no ids of genes in "/row_attrs/Accession"')
  const cellsPath = '/col_attrs/CellID'
  if (file.kindOf(cellsPath) !== 'dataset') throw unusable(`it has no "${cellsPath}"`)
  requireList(file, genesPath, genes)
  requireList(file, cellsPath, cells)
  const described = { annotationsPath: '/col_attrs', unread: layersOf(file) }
  return { kind: 'dense', genesPath, cellsPath, genes, cells, ...described }
}

function sparseLayout(file: Hdf5File): SparseLayout {
  const [genesPath, cellsPath] = [`${MATRIX}/features/id`, `${MATRIX}/barcodes`]
  const paths = [genesPath, cellsPath, `${MATRIX}/shape`, ...Object.values(sparsePaths(MATRIX))]
  const missing = paths.find((path) => file.kindOf(path) !== 'dataset')
  if (missing) throw unusable(`its "/matrix" is a group without "${missing}"`)
  const sizes = file.factsOf(`${MATRIX}/shape`)
  if (sizes.kind !== 'number' || sizes.shape[0] !== 2)
    throw unusable('its shape is not two numbers')
  const [genes = 0, cells = 0] = file.numbers(`${MATRIX}/shape`, [[0, 2]])
  requireList(file, genesPath, genes)
  requireList(file, cellsPath, cells)
  const sizesOf = { genesPath, cellsPath, genes, cells, annotationsPath: undefined, unread: [] }
  return { kind: 'sparse', keptBy: 'cell', ...sizesOf, ...sparseLists(file, MATRIX, cells) }
}

const unusable = (what: string) =>
  new EngineError(
    'bad_input',
    `the HDF5 file holds no matrix in a supported layout: ${what}; give a loom file ("/matrix" of genes by cells, "/row_attrs/Accession", "/col_attrs/CellID"), one of 10x version 3, or an h5ad file of anndata 0.8 or later`,
    { at: 'file_id' },
  )
