import { fields } from '../compose.ts'
import { externalDatabaseIds, geneProperties } from './gene-properties.ts'
import { variantCase } from './variant-case.ts'

const annotation = fields({
  keyword: `
    amino_acids ccds cdna_position cds_position clin_sig codons dbsnp_rs dbsnp_val_status domains
    ensp existing_variation hgvsc hgvsp hgvsp_short polyphen_impact protein_position pubmed
    sift_impact swissprot transcript_id trembl uniparc vep_impact`,
  long: 'cds_end cds_length cds_start',
  float: 'polyphen_score sift_score',
})

// Values of `exact` fields are case-sensitive, those of `keyword` fields are not (define.ts).
const transcript = fields(
  {
    keyword: 'aa_change ref_seq_accession transcript_id',
    exact: 'consequence_type',
    long: 'aa_end aa_start',
    boolean: 'is_canonical',
  },
  { annotation, gene: { ...geneProperties, external_db_ids: externalDatabaseIds } },
)

/** Fields of a simple mutation in an occurrence. The dataset `ssms` adds `occurrence`. */
export const mutation = fields(
  {
    keyword: `
      agency_build catalog_id chromosome gene_aa_change genomic_dna_change mutation_subtype
      mutation_type reference_allele ssm_id tumor_allele`,
    long: 'end_position start_position',
  },
  {
    clinical_annotations: {
      civic: fields({ keyword: 'variant_id', exact: 'gene_id' }),
    },
    consequence: fields({ keyword: 'consequence_id' }, { transcript }),
  },
)

/** Fields of the case of an occurrence, with the observation of the mutation in that case. */
export const mutationCase = {
  ...variantCase,
  observation: fields(
    { keyword: 'center mutation_status observation_id' },
    {
      input_bam_file: fields({ keyword: 'normal_bam_uuid tumor_bam_uuid' }),
      normal_genotype: fields({ keyword: 'match_norm_seq_allele1 match_norm_seq_allele2' }),
      read_depth: fields({ long: 'n_depth t_alt_count t_depth t_ref_count' }),
      sample: fields({
        keyword: `
          matched_norm_sample_barcode matched_norm_sample_uuid tumor_sample_barcode
          tumor_sample_uuid`,
      }),
      tumor_genotype: fields({ keyword: 'tumor_seq_allele1 tumor_seq_allele2' }),
      validation: fields({
        keyword: 'tumor_validation_allele1 tumor_validation_allele2 validation_method',
      }),
      variant_calling: fields({ keyword: 'variant_caller variant_process' }),
    },
  ),
}
