import { defineDataset, fields } from './compose.ts'
import { externalDatabaseIds, geneProperties } from './groups/gene-properties.ts'

const transcripts = fields(
  {
    keyword: 'transcript_id translation_id',
    exact: 'biotype name',
    long: `
      cdna_coding_end cdna_coding_start coding_region_end coding_region_start end end_exon length
      length_amino_acid length_cds number_of_exons seq_exon_end seq_exon_start start start_exon`,
    boolean: 'is_canonical',
  },
  {
    domains: fields({
      keyword: 'description gff_source hit_name interpro_id',
      long: 'end start',
    }),
    exons: fields({
      long: `
        cdna_coding_end cdna_coding_start cdna_end cdna_start end end_phase genomic_coding_end
        genomic_coding_start start start_phase`,
    }),
  },
)

export const genes = defineDataset({
  name: 'genes',
  docType: 'gene_centrics',
  idField: 'gene_id',
  noun: 'gene',
  fields: {
    ...geneProperties,
    ...fields({
      exact: 'name',
      long: `
        canonical_transcript_length canonical_transcript_length_cds
        canonical_transcript_length_genomic`,
      text: 'description',
    }),
    external_db_ids: externalDatabaseIds,
    transcripts,
  },
  hidden: {},
  nested: ['transcripts', 'transcripts.domains', 'transcripts.exons'],
  mounts: [],
  related: { cases: 'case', files: 'case.files', ssms: 'case.ssm', cnvs: 'case.cnv' },
  autocomplete: ['gene_id', 'symbol'],
  caseAt: 'case',
  quickSearch: { label: 'Gene', fields: ['gene_id', 'symbol', 'name'] },
  recognisedBy: ['gene_chromosome', 'symbol'],
})
