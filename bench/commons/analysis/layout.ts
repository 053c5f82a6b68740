import { SCALES, type Scale } from '../../../fixtures/release/scale.ts'

export type InputName = 'full' | 'quick' | 'test'

/** How large an input is, and what is asked of it. */
export interface Layout {
  readonly scale: Scale
  /** Rows and columns of the expression matrix. */
  readonly genes: number
  readonly cases: number
  /** Rows and columns of the single-cell file. */
  readonly cellGenes: number
  readonly cells: number
  /** Genes and cases of the three tables of values. */
  readonly tables: Readonly<Record<TableName, readonly [genes: number, cases: number]>>
  /** Genes, cases, and how many genes are selected. */
  readonly selections: Readonly<
    Record<SelectionName, readonly [genes: number, cases: number, size: number]>
  >
}

export const TABLES = ['values-few-genes', 'values-square', 'values-all-genes'] as const
type TableName = (typeof TABLES)[number]

export const SELECTIONS = ['selection', 'selection-all'] as const
type SelectionName = (typeof SELECTIONS)[number]

export const LAYOUTS: Readonly<Record<InputName, Layout>> = {
  full: {
    scale: SCALES.full,
    genes: 20_000,
    cases: 10_000,
    cellGenes: 33_000,
    cells: 10_000,
    tables: {
      'values-few-genes': [10, 10_000],
      'values-square': [1_000, 1_000],
      'values-all-genes': [20_000, 500],
    },
    selections: { selection: [2_000, 1_000, 100], 'selection-all': [20_000, 10_000, 1_000] },
  },
  quick: {
    scale: { ...SCALES.demo, genes: 4_000, ssms: 20_000, ssm_occurrences: 60_000 },
    genes: 1_000,
    cases: 1_000,
    cellGenes: 2_000,
    cells: 1_000,
    tables: {
      'values-few-genes': [10, 1_000],
      'values-square': [200, 200],
      'values-all-genes': [1_000, 100],
    },
    selections: { selection: [200, 200, 50], 'selection-all': [1_000, 1_000, 100] },
  },
  test: {
    scale: { ...SCALES.tiny, genes: 200 },
    genes: 50,
    cases: 60,
    cellGenes: 100,
    cells: 150,
    tables: {
      'values-few-genes': [10, 60],
      'values-square': [20, 21],
      'values-all-genes': [50, 12],
    },
    selections: { selection: [20, 21, 5], 'selection-all': [50, 60, 20] },
  },
}

/** Single cells and survival are asked about in these parts of a release. */
export const DATASETS = ['projects', 'cases', 'genes', 'ssms', 'ssm_occurrences'] as const
