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

/** Numbers with their positions, stored by cell (10x, h5ad) or by gene (h5ad). */
export interface SparseLayout extends Layout {
  readonly kind: 'sparse'
  readonly keptBy: 'cell' | 'gene'
  /** Number of non-zero entries. */
  readonly entries: number
  readonly data: string
  /**
   * Paths of the gene, or the cell, of each entry, and of the start of each cell's, or gene's, entries. Undefined
   * for a dense table of cells by genes (h5ad), where every cell has an entry for every gene.
   */
  readonly indices: string | undefined
  readonly starts: string | undefined
}

export type MatrixLayout = DenseLayout | SparseLayout
