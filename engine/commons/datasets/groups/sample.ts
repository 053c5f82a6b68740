import { fields } from '../compose.ts'
import { listedAnnotation } from './annotation.ts'
import { center } from './site.ts'

export const sample = fields({
  keyword: `
    biospecimen_anatomic_site biospecimen_laterality catalog_reference created_datetime
    diagnosis_pathologically_confirmed distance_normal_to_tumor distributor_reference
    freezing_method method_of_sample_procurement pathology_report_uuid preservation_method
    sample_id sample_type specimen_type state tissue_collection_type tissue_type tumor_descriptor
    updated_datetime`,
  exact: 'submitter_id',
  long: 'days_to_collection days_to_sample_procurement growth_rate passage_count sample_ordinal',
  double: `
    current_weight initial_weight intermediate_dimension longest_dimension shortest_dimension
    time_between_clamping_and_freezing time_between_excision_and_freezing`,
})

const portion = fields({
  keyword: 'created_datetime is_ffpe portion_id portion_number state updated_datetime',
  exact: 'submitter_id',
  double: 'creation_datetime weight',
})

const slide = fields({
  keyword: `
    bone_marrow_malignant_cells created_datetime section_location slide_id state
    tissue_microarray_coordinates updated_datetime`,
  exact: 'submitter_id',
  long: 'number_proliferating_cells',
  double: `
    percent_eosinophil_infiltration percent_follicular_component percent_granulocyte_infiltration
    percent_inflam_infiltration percent_lymphocyte_infiltration percent_monocyte_infiltration
    percent_necrosis percent_neutrophil_infiltration percent_normal_cells
    percent_rhabdoid_features percent_sarcomatoid_features percent_stromal_cells
    percent_tumor_cells percent_tumor_nuclei prostatic_chips_positive_count
    prostatic_chips_total_count prostatic_involvement_percent`,
})

const analyte = fields({
  keyword: `
    analyte_id analyte_type created_datetime experimental_protocol_type
    normal_tumor_genotype_snp_match spectrophotometer_method state updated_datetime well_number`,
  exact: 'submitter_id',
  double: `
    a260_a280_ratio amount analyte_quantity analyte_volume concentration dna_integrity_number
    ribosomal_rna_28s_18s_ratio rna_integrity_number`,
})

const aliquot = fields({
  keyword: `
    aliquot_id analyte_type created_datetime no_matched_normal_low_pass_wgs
    no_matched_normal_targeted_sequencing no_matched_normal_wgs no_matched_normal_wxs
    selected_normal_low_pass_wgs selected_normal_targeted_sequencing selected_normal_wgs
    selected_normal_wxs source_center state updated_datetime`,
  exact: 'submitter_id',
  double: 'aliquot_quantity aliquot_volume amount concentration',
})

const annotations = listedAnnotation

/** Samples of a patient, down to the aliquots that were measured. */
export const samples = {
  ...sample,
  annotations,
  portions: {
    ...portion,
    annotations,
    center,
    slides: { ...slide, annotations },
    analytes: { ...analyte, annotations, aliquots: { ...aliquot, annotations, center } },
  },
}

export const legacySamples = fields(
  { keyword: 'composition is_ffpe oct_embedded sample_type_id tumor_code tumor_code_id' },
  {
    portions: {
      analytes: fields(
        { keyword: 'analyte_type_id', double: 'ribosomal_rna_28s_16s_ratio' },
        { aliquots: fields({ keyword: 'analyte_type_id' }) },
      ),
    },
  },
)

export const sampleLevels = [
  'samples',
  'samples.annotations',
  'samples.portions',
  'samples.portions.analytes',
  'samples.portions.analytes.aliquots',
  'samples.portions.analytes.aliquots.annotations',
  'samples.portions.analytes.annotations',
  'samples.portions.annotations',
  'samples.portions.slides',
  'samples.portions.slides.annotations',
]
