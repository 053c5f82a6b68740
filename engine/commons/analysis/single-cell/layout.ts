interface Layout {
  /** Paths of the gene ids and cell names. */
  readonly genesPath: string
  readonly cellsPath: string
  readonly genes: number
  readonly cells: number
  /** Path of the group of annotations of cells. Undefined if the layout has none. */
  readonly annotationsPath: string | undefined
}

/** A dense table of genes by cells (loom). */
export interface DenseLayout extends Layout {
  readonly kind: 'dense'
}

/** Numbers with their positions, stored by cell (10x, h5ad) or by gene (h5ad). Also a dense array of h5ad. */
export interface SparseLayout extends Layout {
  readonly kind: 'sparse'
  readonly keptBy: 'cell' | 'gene'
  /** Number of stored entries. Of a dense array, these are all, zeros included. */
  readonly entries: number
  /** Path of the numbers of all entries. */
  readonly data: string
  /**
   * Paths of two lists. If the matrix is stored by cell, `indices` has the gene of each entry, and `starts`
   * has the number of the first entry of each cell; if it is stored by gene, the other way round. Both are
   * undefined for a dense array of cells by genes (h5ad), where every cell has an entry for every gene.
   */
  readonly indices: string | undefined
  readonly starts: string | undefined
}

export type MatrixLayout = DenseLayout | SparseLayout
