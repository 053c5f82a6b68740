import { EngineError } from '../../../shared/errors.ts'
import type { Hdf5File } from './hdf5-file.ts'
import type { SparseLayout } from './layout.ts'

/** Returns the paths of a sparse matrix's datasets. 10x and anndata use the same names. */
export const sparsePaths = (group: string) => ({
  data: `${group}/data`,
  indices: `${group}/indices`,
  starts: `${group}/indptr`,
})

/**
 * Checks that the datasets of a sparse matrix exist and are consistent, and returns their paths.
 * @param majors number of cells, or of genes if the matrix is stored by gene
 * @throws EngineError corrupt_source if the lists are inconsistent
 */
export function sparseLists(
  file: Hdf5File,
  group: string,
  majors: number,
): Pick<SparseLayout, 'entries' | 'data' | 'indices' | 'starts'> {
  const paths = sparsePaths(group)
  const [entries = 0] = file.factsOf(paths.indices).shape
  if (file.factsOf(paths.data).kind === 'truth') throw notNumbers(paths.data)
  requireList(file, paths.data, entries, 'number')
  requireList(file, paths.indices, entries, 'number')
  requireList(file, paths.starts, majors + 1, 'number')
  return { entries, ...paths }
}

/**
 * Checks that a dataset is one-dimensional and has this length and type.
 * @throws EngineError corrupt_source otherwise
 */
export function requireList(
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

/** Returns the error for a matrix of booleans instead of numbers. */
export const notNumbers = (path: string) =>
  new EngineError(
    'corrupt_source',
    `the HDF5 file cannot be used: "${path}" holds bool; write it anew as uint8`,
  )
