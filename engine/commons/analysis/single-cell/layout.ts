interface Layout {
  /** Path of the dataset with gene ids. `cellsPath` is the path of the dataset with cell names. */
  readonly genesPath: string
  readonly cellsPath: string
  readonly genes: number
  readonly cells: number
  /** Path of the group with annotations of cells. Undefined if the file format has no annotations. */
  readonly annotationsPath: string | undefined
  /** Names of the file's other matrices, which are not read. */
  readonly unread: readonly string[]
}

/** A dense matrix with one row per gene and one column per cell (loom). */
export interface DenseLayout extends Layout {
  readonly kind: 'dense'
}

/** A sparse matrix, stored by cell (10x, h5ad) or by gene (h5ad). Also a dense matrix of h5ad. */
export interface SparseLayout extends Layout {
  readonly kind: 'sparse'
  readonly keptBy: 'cell' | 'gene'
  /** Number of stored entries. For a dense matrix, the number of cells times genes. */
  readonly entries: number
  /** Path of the values of all entries. */
  readonly data: string
  /**
   * Paths of the index arrays (CSR or CSC). If the matrix is stored by cell, `indices` has the gene of each
   * entry and `starts` the first entry of each cell; if by gene, the cell of each entry and the first entry
   * of each gene. Undefined for a dense matrix (h5ad), where each cell has an entry for each gene.
   */
  readonly indices: string | undefined
  readonly starts: string | undefined
}

export type MatrixLayout = DenseLayout | SparseLayout
