/** A kind of records that a table shows. */
export interface RecordSet {
  /** Name of the dataset, which is also its path. */
  readonly dataset: string
  /** List of each record whose elements have a row each. By default, each record has one. */
  readonly nested?: string
  readonly title: string
  /** Fields shown at first. */
  readonly usual: readonly string[]
  readonly sort: string
  readonly doors: readonly Door[]
  /** Titles of columns that the names of their fields do not tell, by field. */
  readonly titles: Readonly<Record<string, string>>
}

/** A field whose values lead to a page. */
interface Door {
  readonly field: string
  /** Field with the id that the page takes. */
  readonly idField: string
  readonly page: string
  /** Parameter of the page. */
  readonly parameter: string
}

const toCase = (field: string, idField: string): Door => ({
  ...{ field, idField, page: 'case', parameter: 'id' },
})
const toFile = (field: string): Door => ({
  ...{ field, idField: 'file_id', page: 'file', parameter: 'id' },
})
const toVariant = (field: string): Door => ({
  ...{ field, idField: 'ssm_id', page: 'variant', parameter: 'id' },
})
const toGene = (field: string, idField: string): Door => ({
  ...{ field, idField, page: 'genes', parameter: 'gene' },
})

const TRANSCRIPT_GENE = 'consequence.transcript.gene'

/** The kinds of records that have tables, by dataset. */
export const RECORD_SETS = {
  cases: {
    dataset: 'cases',
    title: 'Cases',
    titles: { submitter_id: 'Case' },
    usual: [
      'submitter_id',
      'project.project_id',
      'primary_site',
      'disease_type',
      'demographic.gender',
      'diagnoses.age_at_diagnosis',
      'demographic.vital_status',
    ],
    sort: 'submitter_id:asc',
    doors: [toCase('submitter_id', 'case_id'), toCase('case_id', 'case_id')],
  },
  tumours: {
    dataset: 'cases',
    nested: 'diagnoses',
    title: 'Tumours of cases',
    titles: {
      submitter_id: 'Case',
      'diagnoses.tissue_or_organ_of_origin': 'Site of origin',
      'diagnoses.ajcc_pathologic_stage': 'AJCC stage',
    },
    usual: [
      'submitter_id',
      'project.project_id',
      'diagnoses.primary_diagnosis',
      'diagnoses.tissue_or_organ_of_origin',
      'diagnoses.morphology',
      'diagnoses.age_at_diagnosis',
      'diagnoses.year_of_diagnosis',
      'diagnoses.ajcc_pathologic_stage',
    ],
    sort: 'submitter_id:asc',
    doors: [toCase('submitter_id', 'case_id'), toCase('case_id', 'case_id')],
  },
  files: {
    dataset: 'files',
    title: 'Files',
    titles: {
      file_name: 'File',
      'cases.submitter_id': 'Case',
      data_format: 'Format',
      file_size: 'Size',
    },
    usual: ['file_name', 'cases.submitter_id', 'data_type', 'data_format', 'access', 'file_size'],
    sort: 'file_name:asc',
    doors: [toFile('file_name'), toFile('file_id'), toCase('cases.submitter_id', 'cases.case_id')],
  },
  genes: {
    dataset: 'genes',
    title: 'Genes',
    titles: {
      symbol: 'Gene',
      gene_chromosome: 'Chromosome',
      is_cancer_gene_census: 'Cancer gene census',
    },
    usual: [
      'symbol',
      'name',
      'gene_id',
      'biotype',
      'gene_chromosome',
      'gene_start',
      'gene_end',
      'is_cancer_gene_census',
    ],
    sort: 'symbol:asc',
    doors: [toGene('symbol', 'gene_id'), toGene('gene_id', 'gene_id')],
  },
  ssms: {
    dataset: 'ssms',
    title: 'Simple mutations',
    titles: {
      genomic_dna_change: 'DNA change',
      gene_aa_change: 'Protein change',
      [`${TRANSCRIPT_GENE}.symbol`]: 'Gene',
      'consequence.transcript.consequence_type': 'Consequence',
      mutation_subtype: 'Kind',
    },
    usual: [
      'genomic_dna_change',
      'gene_aa_change',
      `${TRANSCRIPT_GENE}.symbol`,
      'consequence.transcript.consequence_type',
      'mutation_subtype',
      'chromosome',
      'start_position',
    ],
    sort: 'genomic_dna_change:asc',
    doors: [
      toVariant('genomic_dna_change'),
      toVariant('ssm_id'),
      toGene(`${TRANSCRIPT_GENE}.symbol`, `${TRANSCRIPT_GENE}.gene_id`),
    ],
  },
  cnvs: {
    dataset: 'cnvs',
    title: 'Copy-number changes',
    titles: { 'consequence.gene.symbol': 'Gene', cnv_change_5_category: 'Change' },
    usual: [
      'consequence.gene.symbol',
      'cnv_change_5_category',
      'chromosome',
      'start_position',
      'end_position',
      'cnv_id',
    ],
    sort: 'cnv_id:asc',
    doors: [toGene('consequence.gene.symbol', 'consequence.gene.gene_id')],
  },
  ssm_occurrences: {
    dataset: 'ssm_occurrences',
    title: 'Mutations of cases',
    titles: {
      'case.submitter_id': 'Case',
      'case.project.project_id': 'Project',
      'ssm.genomic_dna_change': 'DNA change',
      'ssm.gene_aa_change': 'Protein change',
      [`ssm.${TRANSCRIPT_GENE}.symbol`]: 'Gene',
      'ssm.consequence.transcript.consequence_type': 'Consequence',
    },
    usual: [
      'case.submitter_id',
      'case.project.project_id',
      'ssm.genomic_dna_change',
      'ssm.gene_aa_change',
      `ssm.${TRANSCRIPT_GENE}.symbol`,
      'ssm.consequence.transcript.consequence_type',
    ],
    sort: 'case.submitter_id:asc',
    doors: [
      toCase('case.submitter_id', 'case.case_id'),
      { ...toVariant('ssm.genomic_dna_change'), idField: 'ssm.ssm_id' },
      toGene(`ssm.${TRANSCRIPT_GENE}.symbol`, `ssm.${TRANSCRIPT_GENE}.gene_id`),
    ],
  },
  cnv_occurrences: {
    dataset: 'cnv_occurrences',
    title: 'Copy numbers of cases',
    titles: {
      'case.submitter_id': 'Case',
      'case.project.project_id': 'Project',
      'cnv.consequence.gene.symbol': 'Gene',
      'cnv.cnv_change_5_category': 'Change',
    },
    usual: [
      'case.submitter_id',
      'case.project.project_id',
      'cnv.consequence.gene.symbol',
      'cnv.cnv_change_5_category',
      'cnv.chromosome',
      'cnv.start_position',
      'cnv.end_position',
    ],
    sort: 'case.submitter_id:asc',
    doors: [
      toCase('case.submitter_id', 'case.case_id'),
      toGene('cnv.consequence.gene.symbol', 'cnv.consequence.gene.gene_id'),
    ],
  },
  annotations: {
    dataset: 'annotations',
    title: 'Annotations',
    titles: { case_submitter_id: 'Case', entity_submitter_id: 'Entity' },
    usual: [
      'category',
      'classification',
      'case_submitter_id',
      'entity_type',
      'entity_submitter_id',
      'notes',
      'status',
      'created_datetime',
    ],
    sort: 'annotation_id:asc',
    doors: [toCase('case_submitter_id', 'case_id')],
  },
  projects: {
    dataset: 'projects',
    title: 'Projects',
    titles: { project_id: 'Project id' },
    usual: [
      'project_id',
      'name',
      'program.name',
      'primary_site',
      'summary.case_count',
      'summary.file_count',
    ],
    sort: 'project_id:asc',
    doors: [],
  },
} as const satisfies Readonly<Record<string, RecordSet>>
