import { lowerBound } from '../../../shared/arrays/lower-bound.ts'
import { EngineError } from '../../../shared/errors.ts'
import { type Hdf5File, type NumberView, numberAt } from './hdf5-file.ts'
import type { SparseLayout } from './layout.ts'

/** Half-open range of entries of a sparse matrix, of whole cells or whole genes. */
export interface EntrySpan {
  readonly start: number
  readonly end: number
}

interface EntrySource {
  readonly file: Hdf5File
  readonly layout: SparseLayout
  /** First entry of each cell, or of each gene if the matrix is stored by gene; see Matrix. */
  readonly starts: Float64Array
}

/**
 * Returns the row of the gene of each entry.
 * @throws EngineError corrupt_source for a row outside of the matrix
 */
export function genesIn(source: EntrySource, span: EntrySpan): Uint32Array {
  return source.layout.keptBy === 'gene' ? majorsIn(source, span) : minorsIn(source, span)
}

/**
 * Returns the index of the cell of each entry.
 * @throws EngineError corrupt_source for an index outside of the matrix
 */
export function cellsIn(source: EntrySource, span: EntrySpan): Uint32Array {
  return source.layout.keptBy === 'gene' ? minorsIn(source, span) : majorsIn(source, span)
}

/** Calls a function with the values of entries, which are valid only during the call. */
export function viewEntries<T>(
  { file, layout }: EntrySource,
  { start, end }: EntrySpan,
  use: (view: NumberView) => T,
): T {
  const { data, genes } = layout
  if (layout.indices !== undefined) return file.view(data, [[start, end]], use)
  const rows = [start / genes, end / genes] as const
  return file.view(data, [rows, [0, genes]], use)
}

/** Returns the cell of each entry, or its gene if the matrix is stored by gene. */
function majorsIn({ starts }: EntrySource, { start, end }: EntrySpan): Uint32Array {
  const majors = new Uint32Array(end - start)
  // Finds the last cell or gene whose entries start at or before the range.
  let major = lowerBound(starts, start + 1) - 1
  for (let i = 0; i < majors.length; i++) {
    while ((starts[major + 1] ?? Infinity) <= start + i) major++
    majors[i] = major
  }
  return majors
}

/** Returns the gene of each entry, or its cell if the matrix is stored by gene. */
function minorsIn({ file, layout }: EntrySource, { start, end }: EntrySpan): Uint32Array {
  const { indices, keptBy, genes, cells } = layout
  if (indices === undefined) {
    const minors = new Uint32Array(end - start)
    for (let i = 0; i < minors.length; i++) minors[i] = i % genes
    return minors
  }
  const most = keptBy === 'gene' ? cells : genes
  return file.view(indices, [[start, end]], ({ values, step }) => {
    const minors = new Uint32Array(values.length / step)
    for (let i = 0, at = 0; i < minors.length; i++, at += step) {
      const minor = values[at]!
      const isKnown = minor >= 0 && minor < most && (step === 1 || values[at + 1] === 0)
      if (!isKnown) throw outside(indices, minor, most)
      minors[i] = minor
    }
    return minors
  })
}

const outside = (path: string, row: number, rows: number) =>
  new EngineError(
    'corrupt_source',
    `the HDF5 file cannot be used: "${path}" names row ${row} of ${rows}`,
  )

/**
 * Adds the number of entries of each gene to `counts`. Zeros of a dense matrix are not counted.
 * @param counts shared memory, which jobs for other ranges also add to
 */
export function countGenes(source: EntrySource, span: EntrySpan, counts: Uint32Array): void {
  const genes = genesIn(source, span)
  if (source.layout.indices !== undefined) {
    for (const gene of genes) Atomics.add(counts, gene, 1)
    return
  }
  viewEntries(source, span, (view) => {
    for (const [i, gene] of genes.entries()) {
      if (numberAt(view, i) !== 0) Atomics.add(counts, gene, 1)
    }
  })
}

/** Approximate number of entries per job. */
export const SPAN_ENTRIES = 1 << 18

/** Yields ranges of whole cells, or whole genes, so that no two jobs write the same cell's values. */
export function* entrySpans(
  starts: Float64Array,
  most = SPAN_ENTRIES,
): Generator<EntrySpan, undefined> {
  let start = 0
  for (let major = 1; major < starts.length; major++) {
    const [end = 0, next = Infinity] = [starts[major], starts[major + 1]]
    if (next - start <= most || end === start) continue
    yield { start, end }
    start = end
  }
  return undefined
}
