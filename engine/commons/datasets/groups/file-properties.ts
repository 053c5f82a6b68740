import { fields } from '../compose.ts'

/** Properties that all files have, whether in records, as input and output files, or as index files. */
export const fileProperties = fields({
  keyword: `
    access channel chip_id chip_position created_datetime data_category data_format error_type
    file_id file_name imaging_date md5sum msi_status plate_name plate_well platform
    read_pair_number stain_type state state_comment updated_datetime wgs_coverage`,
  exact: 'data_type experimental_strategy submitter_id',
  long: `
    average_insert_size average_read_length file_size genome_doubling pairs_on_diff_chr
    total_reads`,
  double: `
    average_base_quality cancer_dna_fraction contamination contamination_error magnification
    mean_coverage msi_score proportion_base_mismatch proportion_coverage_10x
    proportion_coverage_30x proportion_reads_duplicated proportion_reads_mapped
    proportion_targets_no_coverage revision subclonal_genome_fraction tmb tmb_exonic
    tmb_nonsynonymous tmb_nonsynonymous_exonic tumor_ploidy tumor_purity`,
})

export const archive = fields({
  keyword: `
    archive_id created_datetime data_category data_format error_type file_name md5sum state
    state_comment updated_datetime`,
  exact: 'data_type submitter_id',
  long: 'file_size',
  double: 'revision',
})

export const metadataFile = fields({
  keyword: `
    access created_datetime data_category data_format error_type file_id file_name md5sum state
    state_comment type updated_datetime`,
  exact: 'data_type submitter_id',
  long: 'file_size',
})

/** An analysis without its files and read groups. */
export const analysis = fields({
  keyword: `
    analysis_id analysis_type created_datetime state updated_datetime workflow_end_datetime
    workflow_link workflow_start_datetime workflow_version`,
  exact: 'submitter_id workflow_type',
})
