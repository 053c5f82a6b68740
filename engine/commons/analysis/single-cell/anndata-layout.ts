import { EngineError } from '../../../shared/errors.ts'
import type { Hdf5File } from './hdf5-file.ts'
import { layersOf } from './layers.ts'
import type { SparseLayout } from './layout.ts'
import { notNumbers, requireList, sparseLists, sparsePaths } from './sparse-lists.ts'

const [X, CELLS, GENES] = ['/X', '/obs', '/var']
/** Encoding that anndata 0.8 and later use for the tables of cells and genes. */
const TABLE = { type: 'dataframe', version: '0.2.0' } as const

/** Returns whether a file is an h5ad file of any version: it has a table of cells and a table of genes. */
export const isAnndata = (file: Hdf5File): boolean =>
  [CELLS, GENES].every((path) => file.kindOf(path) !== undefined)

/**
 * Determines how an h5ad file stores `X`, its main matrix of cells by genes, in the encoding of anndata 0.8 and
 * later (anndata.readthedocs.io, "On-disk format"): as a dense array, or as a sparse matrix by cell (CSR) or by
 * gene (CSC). A dense array gets a sparse layout without `indices` and `starts`. The other matrices (`raw`,
 * `layers`) are not read.
 * @throws EngineError bad_input for another encoding or a file without `X`, with a message that says how to
 *   save the file instead; corrupt_source if its parts are inconsistent
 */
export function anndataLayout(file: Hdf5File): SparseLayout {
  for (const path of [CELLS, GENES]) requireTable(file, path)
  const [cellsPath, genesPath] = [indexOf(file, CELLS), indexOf(file, GENES)]
  const [[cells = 0], [genes = 0]] = [file.factsOf(cellsPath).shape, file.factsOf(genesPath).shape]
  requireList(file, cellsPath, cells)
  requireList(file, genesPath, genes)
  const unread = otherMatrices(file)
  const sizes = { genesPath, cellsPath, genes, cells, annotationsPath: CELLS, unread }
  const kind = file.kindOf(X)
  if (kind === undefined) throw withoutX(file)
  if (kind === 'dataset') {
    return { kind: 'sparse', keptBy: 'cell', ...sizes, ...denseEntries(file, cells, genes) }
  }
  const encoding = file.textAttribute(X, 'encoding-type')
  const keptBy = { csr_matrix: 'cell', csc_matrix: 'gene' } as const
  if (encoding !== 'csr_matrix' && encoding !== 'csc_matrix') {
    const given =
      encoding === undefined ? 'names no encoding' : `has the encoding "${encoding.slice(0, 80)}"`
    const what = `its "${X}" ${given}`
    throw refused(
      `${what}; write it anew with anndata as a dense array, as "csr_matrix" or as "csc_matrix"`,
    )
  }
  const missing = Object.values(sparsePaths(X)).find((path) => file.kindOf(path) !== 'dataset')
  if (missing) throw refused(`its "${X}" has no "${missing}"; save the file again with anndata`)
  const by = keptBy[encoding]
  const lists = sparseLists(file, X, by === 'cell' ? cells : genes)
  return { kind: 'sparse', keptBy: by, ...sizes, ...lists }
}

/**
 * Describes a dense array as a sparse matrix stored by cell, in which each cell has an entry for every gene,
 * including zeros.
 * @throws EngineError corrupt_source if the dataset is not an array of numbers of this size
 */
function denseEntries(file: Hdf5File, cells: number, genes: number) {
  const { kind, shape } = file.factsOf(X)
  if (kind === 'truth') throw notNumbers(X)
  if (kind !== 'number' || shape.length !== 2 || shape[0] !== cells || shape[1] !== genes) {
    const message = `"${X}" is not a table of numbers of ${cells} cells and ${genes} genes`
    throw new EngineError('corrupt_source', `the HDF5 file cannot be used: ${message}`)
  }
  return { entries: cells * genes, data: X, indices: undefined, starts: undefined }
}

/**
 * Rejects a table of cells or genes that anndata before 0.8 has written. Those versions stored the categories of
 * a column elsewhere, or the whole table as one HDF5 dataset of compound values.
 */
function requireTable(file: Hdf5File, path: string): void {
  const isGroup = file.kindOf(path) === 'group'
  const type = isGroup ? file.textAttribute(path, 'encoding-type') : undefined
  const version = isGroup ? file.textAttribute(path, 'encoding-version') : undefined
  if (type === TABLE.type && version === TABLE.version) return
  throw refused(
    `its "${path}" is not in the encoding of anndata 0.8; write it anew with anndata 0.8 or later: ` +
      'anndata.read_h5ad("old.h5ad").write_h5ad("new.h5ad")',
  )
}

/**
 * Returns the path of the column with the row names. Attribute `_index` of the table has its name.
 * @throws EngineError bad_input without such an attribute or column
 */
function indexOf(file: Hdf5File, table: string): string {
  const name = file.textAttribute(table, '_index')
  const path = `${table}/${name}`
  if (name !== undefined && file.kindOf(path) === 'dataset') return path
  throw refused(
    `its "${table}" does not say by "_index" which column has the names; save the file again with anndata`,
  )
}

/** Returns the error for a file without `X`. It names the other matrices and how to save one of them as `X`. */
function withoutX(file: Hdf5File): EngineError {
  const others = otherMatrices(file)
  const [first] = others
  if (first === undefined) return refused(`it has no "${X}"; write it anew with one`)
  const make = first === 'raw' ? 'adata = adata.raw.to_adata()' : `adata.X = adata.${first}`
  return refused(
    `it has no "${X}", which alone is read, but it has other matrices: ${others.join(', ')}; make one of them X and save the file again: ${make}`,
  )
}

/** Returns the names of a file's matrices other than `X`, in the terms of anndata. */
const otherMatrices = (file: Hdf5File): readonly string[] => [
  ...(file.kindOf('/raw/X') === undefined ? [] : ['raw']),
  ...layersOf(file),
]

const refused = (what: string) =>
  new EngineError('bad_input', `the h5ad file cannot be used: ${what}`, { at: 'file_id' })
