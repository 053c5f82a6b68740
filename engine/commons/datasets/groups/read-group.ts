import { fields } from '../compose.ts'

const readGroup = fields({
  keyword: `
    adapter_name adapter_sequence base_caller_name base_caller_version chipseq_antibody
    chipseq_target created_datetime experiment_name flow_cell_barcode fragmentation_enzyme
    includes_spike_ins instrument_model is_paired_end library_name
    library_preparation_kit_catalog_number library_preparation_kit_name
    library_preparation_kit_vendor library_preparation_kit_version library_selection
    library_strand library_strategy multiplex_barcode platform read_group_id read_group_name
    sequencing_center sequencing_date single_cell_library size_selection_range
    spike_ins_concentration spike_ins_fasta state target_capture_kit
    target_capture_kit_catalog_number target_capture_kit_name target_capture_kit_target_region
    target_capture_kit_vendor target_capture_kit_version to_trim_adapter_sequence updated_datetime`,
  exact: 'submitter_id',
  long: `
    days_to_sequencing fragment_maximum_length fragment_minimum_length lane_number
    number_expect_cells read_length`,
  double: 'fragment_mean_length fragment_standard_deviation_length rin',
})

const readGroupQc = fields({
  keyword: `
    adapter_content basic_statistics created_datetime encoding fastq_name kmer_content
    overrepresented_sequences per_base_n_content per_base_sequence_content
    per_base_sequence_quality per_sequence_gc_content per_sequence_quality_score
    per_tile_sequence_quality read_group_qc_id sequence_duplication_levels
    sequence_length_distribution state updated_datetime workflow_end_datetime workflow_link
    workflow_start_datetime workflow_version`,
  exact: 'submitter_id workflow_type',
  long: 'percent_gc_content total_sequences',
})

export const readGroups = { ...readGroup, read_group_qcs: readGroupQc }
