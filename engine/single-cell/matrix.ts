import { EngineError } from '../errors.ts'
import type { Job, Kept } from '../executor.ts'
import type { Hdf5File } from './hdf5-file.ts'
import { layoutOf, type MatrixLayout, SPARSE } from './matrix-layout.ts'
import { type FileState, openHdf5 } from './open-files.ts'

export interface MatrixInput extends FileState {
  readonly geneIds: readonly string[]
  readonly mostCells: number
}

export interface Matrix {
  readonly layout: MatrixLayout
  /** Of each gene that was asked for; `undefined` where the file does not have it. */
  readonly rows: readonly (number | undefined)[]
  /** Of a sparse matrix: where the entries of each cell start, and where the last end. Shared. */
  readonly starts: Float64Array | undefined
}

const GENES_AT_ONCE = 16_384
const MOST_GENES = 1_000_000

/** Finds out what a file holds, and where in it the genes are. */
export const matrixJob: Job<MatrixInput, Matrix> = {
  name: 'single-cell.matrix',
  async run({ geneIds, mostCells, ...state }, scratch) {
    const file = await openHdf5(state, scratch)
    const layout = layoutOf(file)
    if (layout.cells > mostCells || layout.genes > MOST_GENES) {
      throw new EngineError(
        'too_large',
        `the file has ${layout.genes} genes and ${layout.cells} cells; at most ${MOST_GENES} and ${mostCells} are read`,
      )
    }
    const read = () => readGenes(layout, file)
    const key = `single-cell.genes ${JSON.stringify(state)}`
    const known = layout.genes <= MOST_KEPT_GENES ? scratch.kept(key, read) : read()
    const rows = rowsOf(geneIds, known)
    const isWanted = rows.some((row) => row !== undefined)
    return { layout, rows, starts: isWanted ? startsOf(layout, file) : undefined }
  },
}

/** Rows by id, with the version of the annotation and without it; of equal ids the first. */
interface GeneRows extends Kept {
  readonly exact: ReadonlyMap<string, number>
  readonly loose: ReadonlyMap<string, number>
}

/** What an entry takes, and up to how many genes are kept for the next request. */
const GENE_BYTES = 80
const MOST_KEPT_GENES = 50_000

/** Files name genes with the version of their annotation or without it, and so may a request. */
function rowsOf(geneIds: readonly string[], { exact, loose }: GeneRows) {
  return geneIds.map((id) => exact.get(id) ?? loose.get(unversioned(id)))
}

function readGenes({ genesPath, genes }: MatrixLayout, file: Hdf5File): GeneRows {
  const exact = new Map<string, number>()
  const loose = new Map<string, number>()
  for (let start = 0; start < genes; start += GENES_AT_ONCE) {
    const ids = file.texts(genesPath, [start, Math.min(start + GENES_AT_ONCE, genes)])
    for (const [i, id] of ids.entries()) {
      const plain = unversioned(id)
      if (!exact.has(id)) exact.set(id, start + i)
      if (!loose.has(plain)) loose.set(plain, start + i)
    }
  }
  return { exact, loose, bytes: GENE_BYTES * (exact.size + loose.size) }
}

/** @example unversioned('ENSG00000002586.18_PAR_Y') // 'ENSG00000002586_PAR_Y' */
const unversioned = (id: string) => id.replace(/\.\d+(?=_|$)/, '')

function startsOf(layout: MatrixLayout, file: Hdf5File): Float64Array | undefined {
  if (layout.kind === 'dense') return undefined
  const { cells, entries } = layout
  const starts = new Float64Array(new SharedArrayBuffer(8 * (cells + 1)))
  starts.set(file.numbers(SPARSE.starts, [[0, cells + 1]]))
  const isRising = starts.every((start, i) => start >= (starts[i - 1] ?? 0))
  if (isRising && starts[0] === 0 && starts[cells] === entries) return starts
  throw new EngineError(
    'corrupt_source',
    `the HDF5 file cannot be used: "${SPARSE.starts}" does not lead from 0 to ${entries}`,
  )
}
