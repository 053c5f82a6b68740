/** Rows of a gene: id, symbol, type, value as text. */
export type GivenGene = readonly [id: string, symbol: string, type: string, value: string]

export const CODING = 'protein_coding'

/** Returns the quantification file of one sample in the format of the commons. */
export function augmented(genes: readonly GivenGene[]): string {
  const header =
    'gene_id gene_name gene_type unstranded stranded_first stranded_second tpm_unstranded fpkm_unstranded fpkm_uq_unstranded'
  const sums = ['N_unmapped', 'N_multimapping', 'N_noFeature', 'N_ambiguous'].map((name) =>
    [name, '', '', 7, 8, 9, '', '', ''].join('\t'),
  )
  const rows = genes.map(([id, symbol, type, value]) =>
    [id, symbol, type, 5, 2, 3, '1.0000', '2.0000', value].join('\t'),
  )
  const head = ['# gene-model: GENCODE v36', header.replaceAll(' ', '\t')]
  return `${[...head, ...sums, ...rows].join('\n')}\n`
}

export const tableOf = (rows: readonly (readonly (string | number)[])[]) =>
  rows.map((cells) => `${cells.join('\t')}\n`).join('')

export interface GivenSample {
  readonly fileId: string
  readonly caseId: string
  readonly sample: string
  readonly type?: string
  readonly access?: 'open' | 'controlled'
  readonly fileName?: string
}

/** Returns the record of a file in the form in which the service exports it. */
export const fileRecord = ({ fileId, caseId, sample, ...rest }: GivenSample) => ({
  file_id: fileId,
  file_name: rest.fileName ?? `${fileId}.augmented_star_gene_counts.tsv`,
  data_type: 'Gene Expression Quantification',
  access: rest.access ?? 'open',
  cases: [
    {
      case_id: caseId,
      submitter_id: caseId.toUpperCase(),
      project: { project_id: 'P-1' },
      samples: [{ submitter_id: sample, sample_type: rest.type ?? 'Primary Tumor' }],
    },
  ],
})
