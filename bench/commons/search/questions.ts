import type { ScaleName } from '../../../fixtures/release/scale.ts'

// What is asked, in words that all three are given their own translation of. Everything is fixed;
// what the questions select is pinned in pins.ts.

export type InputName = 'full' | 'quick' | 'test'

export const SCALE_OF: Readonly<Record<InputName, ScaleName>> = {
  full: 'full',
  quick: 'demo',
  test: 'tiny',
}

/** The ten facets, by the names that files are asked with. */
export const FACETS = [
  'access',
  'data_category',
  'data_format',
  'data_type',
  'experimental_strategy',
  'platform',
  'analysis.workflow_type',
  'cases.project.project_id',
  'cases.primary_site',
  'cases.samples.sample_type',
] as const

export type Facet = (typeof FACETS)[number]

/** All of them have to hold for a file. */
export interface Conditions {
  /** Each field has one of its values; fields and values as clients write them. */
  readonly among: Readonly<Partial<Record<Facet, readonly string[]>>>
  /** Bytes. */
  readonly sizeAtLeast?: number
}

export type Question =
  /** How many files meet the conditions. */
  | { readonly kind: 'count'; readonly conditions: Conditions }
  /** How many cases have one file of that type and that strategy. */
  | { readonly kind: 'cases-by-file'; readonly dataType: string; readonly strategy: string }
  /** How many files come from a sample that is of one of the types and of that tissue. */
  | {
      readonly kind: 'files-by-sample'
      readonly sampleTypes: readonly string[]
      readonly tissueType: string
    }
  /** The ten facets, each without regard to the conditions on itself, and how many files in all. */
  | { readonly kind: 'facets'; readonly conditions: Conditions }
  /** Ten files in descending order of size, equal ones in order of their ids, and how many in all. */
  | { readonly kind: 'page'; readonly conditions: Conditions; readonly from: number }
  /** One file with its own fields. */
  | { readonly kind: 'record'; readonly id: string }
  /** Files with their own fields, in order of ids. */
  | { readonly kind: 'records'; readonly ids: readonly string[] }
  /** The first files, with their own fields and all of their aliquots; and how many in all. */
  | { readonly kind: 'aliquots'; readonly conditions: Conditions; readonly size: number }
  /** A table of the first files. */
  | { readonly kind: 'table'; readonly conditions: Conditions; readonly size: number }
  /** The download manifest of all files that meet the conditions. */
  | { readonly kind: 'manifest'; readonly conditions: Conditions }
  | ({ readonly kind: 'export-tsv' } & Export)
  | ({ readonly kind: 'export-ndjson' } & Export)
  | ({ readonly kind: 'export-arrow' } & Export)
  | ({ readonly kind: 'export-parquet' } & Export)

/** All files that meet the conditions, in one format. */
export interface Export {
  readonly conditions: Conditions
  readonly content: ExportContent
}

export const EXPORT_FORMATS = ['tsv', 'ndjson', 'arrow', 'parquet'] as const

export type ExportFormat = (typeof EXPORT_FORMATS)[number]

/** Files with their own fields and all fields of their samples; three plain fields; ids alone. */
type ExportContent = 'samples' | 'plain' | 'ids'

export type Kind = Question['kind']
export type Of<K extends Kind> = Extract<Question, { readonly kind: K }>

export const PAGE_SIZE = 10

/** What a record of the table has, by the names that files are asked with. */
export const TABLE_FIELDS = [
  'access',
  'analysis.workflow_type',
  'cases.case_id',
  'cases.project.project_id',
  'data_category',
  'data_format',
  'data_type',
  'experimental_strategy',
  'file_id',
  'file_name',
  'file_size',
  'md5sum',
  'platform',
] as const

/** What records have, by the names that files are asked with. */
export const EXPORT_FIELDS: Readonly<Record<Exclude<ExportContent, 'samples'>, readonly string[]>> =
  { plain: ['file_id', 'file_name', 'file_size'], ids: ['file_id'] }

/** Asked in this process. */
export const WORKLOADS = [
  'count-selective',
  'count-broad',
  'count-range',
  'nested-files',
  'nested-samples',
  'facets',
  'facets-selective',
  'facets-broad',
  'deep-page',
  'deep-page-filtered',
  'record',
  'records-100',
  'aliquots',
  'tsv',
  'manifest',
  'tables-nested-tsv',
  'tables-nested-ndjson',
  'tables-nested-arrow',
  'tables-nested-parquet',
] as const

export type WorkloadName = (typeof WORKLOADS)[number]

/** Asked of the service, all in the workload `tables-http`. */
export const SERVED_TABLES = [
  'tables-http-tsv',
  'tables-http-ndjson',
  'tables-http-parquet',
] as const

export type ServedTable = (typeof SERVED_TABLES)[number]

/** Whatever has questions. */
export const QUESTION_SETS = [...WORKLOADS, ...SERVED_TABLES] as const

export type QuestionSet = (typeof QUESTION_SETS)[number]

/** How far into what is selected the deep pages lie, and how much of it the large answers take. */
const SIZES: Readonly<
  Record<InputName, { deep: number; deepOpen: number; aliquots: number; table: number }>
> = {
  full: { deep: 500_000, deepOpen: 250_000, aliquots: 10_000, table: 100_000 },
  quick: { deep: 5_000, deepOpen: 2_500, aliquots: 500, table: 1_000 },
  test: { deep: 200, deepOpen: 100, aliquots: 40, table: 40 },
}

const PROJECT = 'cases.project.project_id'
const OPEN: Conditions = { among: { access: ['open'] } }
const THREE_PROJECTS: Conditions = {
  among: { [PROJECT]: ['DEMO-LUNG', 'DEMO-BREAST', 'DEMO-KIDNEY'] },
}
const NESTED: Export = { conditions: THREE_PROJECTS, content: 'samples' }
const PLAIN: Export = { conditions: { among: {} }, content: 'plain' }

const count = (among: Conditions['among'], sizeAtLeast?: number): Question => {
  return { kind: 'count', conditions: { among, ...(sizeAtLeast ? { sizeAtLeast } : {}) } }
}
const facets = (among: Conditions['among']): Question => ({ kind: 'facets', conditions: { among } })
const byFile = (dataType: string, strategy: string): Question => {
  return { kind: 'cases-by-file', dataType, strategy }
}
const bySample = (sampleTypes: readonly string[], tissueType: string): Question => {
  return { kind: 'files-by-sample', sampleTypes, tissueType }
}

/** Positions of records, far from each other and in no order, for a number of records. */
export function scatteredRows(records: number, wanted: number, seed = 0): number[] {
  const step = 0x9e3779b1
  return Array.from({ length: wanted }, (_, i) => {
    const place = (Math.imul(i + 1 + seed * wanted, step) >>> 0) / 2 ** 32
    return Math.floor(place * records)
  })
}

/**
 * The questions of every workload.
 * @param idAt id of the file at a position, in ascending order of ids
 */
export function questionsOf(
  input: InputName,
  files: number,
  idAt: (row: number) => string,
): Readonly<Record<QuestionSet, readonly Question[]>> {
  const { deep, deepOpen, aliquots, table } = SIZES[input]
  return {
    'count-selective': [
      count({ [PROJECT]: ['DEMO-LUNG'], data_type: ['Masked Somatic Mutation'] }),
      count({ [PROJECT]: ['DEMO-BRAIN'], data_type: ['Gene Expression Quantification'] }),
      count({ [PROJECT]: ['DEMO-COLON'], data_type: ['Slide Image'] }),
      count({ [PROJECT]: ['DEMO-BREAST'], data_type: ['Aligned Reads'] }),
      count({ [PROJECT]: ['DEMO-KIDNEY'], data_type: ['Methylation Beta Value'] }),
    ],
    'count-broad': [
      count({ access: ['open'] }),
      count({ experimental_strategy: ['WXS', 'RNA-Seq'] }),
      count({ data_category: ['Sequencing Reads'] }),
      count({ data_format: ['VCF', 'TSV', 'TXT'] }),
    ],
    'count-range': [
      count({ [PROJECT]: ['DEMO-LUNG', 'DEMO-BRAIN'], data_type: ['Aligned Reads'] }, 8e9),
      count({ [PROJECT]: ['DEMO-OPEN', 'DEMO-COLON'], data_type: ['Slide Image'] }, 5e8),
      count(
        { [PROJECT]: ['DEMO-BREAST', 'DEMO-KIDNEY'], data_type: ['Masked Somatic Mutation'] },
        1e6,
      ),
    ],
    'nested-files': [
      byFile('Aligned Reads', 'RNA-Seq'),
      byFile('Aligned Reads', 'miRNA-Seq'),
      byFile('Aligned Reads', 'WGS'),
      byFile('Gene Expression Quantification', 'RNA-Seq'),
    ],
    'nested-samples': [
      // Paired files have a tumour and a normal sample: each condition alone holds for more of them.
      bySample(['Primary Tumor', 'Solid Tissue Normal'], 'Normal'),
      bySample(['Primary Tumor', 'Blood Derived Normal'], 'Normal'),
      bySample(['Blood Derived Normal', 'Primary Tumor'], 'Tumor'),
    ],
    facets: [facets({})],
    'facets-selective': [
      facets({ [PROJECT]: ['DEMO-LUNG'], data_type: ['Masked Somatic Mutation'] }),
      facets({ [PROJECT]: ['DEMO-BRAIN'], data_category: ['Transcriptome Profiling'] }),
      facets({ [PROJECT]: ['DEMO-COLON'], experimental_strategy: ['WXS'] }),
    ],
    'facets-broad': [
      facets({ access: ['open'] }),
      facets({ experimental_strategy: ['WXS', 'RNA-Seq'] }),
      facets({ data_format: ['VCF', 'TSV', 'TXT'], access: ['open'] }),
    ],
    'deep-page': [{ kind: 'page', conditions: { among: {} }, from: deep }],
    'deep-page-filtered': [{ kind: 'page', conditions: OPEN, from: deepOpen }],
    // So many that they are not at hand from the time before.
    record: scatteredRows(files, 1000).map((row) => ({ kind: 'record', id: idAt(row) })),
    'records-100': Array.from({ length: 20 }, (_, seed) => ({
      kind: 'records',
      ids: [...new Set(scatteredRows(files, 100, seed + 11))].map(idAt).sort(),
    })),
    aliquots: [
      {
        kind: 'aliquots',
        conditions: THREE_PROJECTS,
        size: aliquots,
      },
    ],
    tsv: [{ kind: 'table', conditions: OPEN, size: table }],
    // More than half of the files.
    manifest: [{ kind: 'manifest', conditions: { among: { data_format: ['BAM', 'TSV', 'VCF'] } } }],
    'tables-nested-tsv': [{ kind: 'export-tsv', ...NESTED }],
    'tables-nested-ndjson': [{ kind: 'export-ndjson', ...NESTED }],
    'tables-nested-arrow': [{ kind: 'export-arrow', ...NESTED }],
    'tables-nested-parquet': [{ kind: 'export-parquet', ...NESTED }],
    'tables-http-tsv': [{ kind: 'export-tsv', ...PLAIN }],
    'tables-http-ndjson': [{ kind: 'export-ndjson', ...PLAIN, content: 'ids' }],
    'tables-http-parquet': [{ kind: 'export-parquet', ...PLAIN }],
  }
}
