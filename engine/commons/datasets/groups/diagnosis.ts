import { fields } from '../compose.ts'
import { listedAnnotation } from './annotation.ts'

/** A diagnosis without its pathology details, treatments and annotations. */
export const diagnosis = fields({
  keyword: `
    adrenal_hormone ajcc_clinical_m ajcc_clinical_n ajcc_clinical_stage ajcc_clinical_t
    ajcc_pathologic_m ajcc_pathologic_n ajcc_pathologic_stage ajcc_pathologic_t
    ajcc_serum_tumor_markers ajcc_staging_system_edition ann_arbor_b_symptoms
    ann_arbor_b_symptoms_described ann_arbor_b_symptoms_described_array ann_arbor_clinical_stage
    ann_arbor_extranodal_involvement ann_arbor_pathologic_stage best_overall_response
    burkitt_lymphoma_clinical_variant calgb_risk_group cancer_detection_method
    child_pugh_classification clark_level classification_of_tumor cog_liver_stage
    cog_neuroblastoma_risk_group cog_renal_stage cog_rhabdomyosarcoma_risk_group
    contiguous_organ_invaded created_datetime diagnosis_id diagnosis_is_primary_disease
    double_expressor_lymphoma double_hit_lymphoma eln_risk_classification enneking_msts_grade
    enneking_msts_metastasis enneking_msts_stage enneking_msts_tumor_site ensat_clinical_m
    ensat_pathologic_n ensat_pathologic_stage ensat_pathologic_t
    esophageal_columnar_dysplasia_degree esophageal_columnar_metaplasia_present
    fab_morphology_code figo_stage figo_staging_edition_year first_symptom_longest_duration
    first_symptom_prior_to_diagnosis gastric_esophageal_junction_involvement gleason_grade_group
    gleason_grade_tertiary goblet_cells_columnar_mucosa_present icd_10_code igcccg_stage
    inpc_grade inpc_histologic_group inrg_stage inss_stage international_prognostic_index
    irs_group irs_stage ishak_fibrosis_score iss_stage last_known_disease_status laterality
    margins_involved_site masaoka_stage max_tumor_bulk_site
    medulloblastoma_molecular_classification melanoma_known_primary metastasis_at_diagnosis
    method_of_diagnosis mitosis_karyorrhexis_index morphology ovarian_specimen_status
    ovarian_surface_involvement pediatric_kidney_staging peritoneal_fluid_cytological_status
    primary_diagnosis primary_gleason_grade prior_malignancy prior_treatment
    progression_or_recurrence residual_disease satellite_nodule_present secondary_gleason_grade
    site_of_resection_or_biopsy sites_of_involvement state supratentorial_localization
    synchronous_malignancy tissue_or_organ_of_origin tumor_confined_to_organ_of_origin
    tumor_focality tumor_grade tumor_grade_category tumor_of_origin tumor_regression_grade
    uicc_clinical_m uicc_clinical_n uicc_clinical_stage uicc_clinical_t uicc_pathologic_m
    uicc_pathologic_n uicc_pathologic_stage uicc_pathologic_t uicc_staging_system_edition
    ulceration_indicator updated_datetime weiss_assessment_findings weiss_assessment_score
    who_cns_grade who_nte_grade wilms_tumor_histologic_subtype`,
  exact: 'submitter_id',
  long: `
    age_at_diagnosis days_to_best_overall_response days_to_diagnosis gleason_patterns_percent
    gleason_score sites_of_involvement_count year_of_diagnosis`,
  double: `
    days_to_last_follow_up days_to_last_known_disease_status days_to_recurrence margin_distance
    tumor_burden tumor_depth`,
})

const legacyDiagnosis = fields({
  keyword: `
    metastasis_at_diagnosis_site micropapillary_features papillary_renal_cell_type
    pregnant_at_diagnosis primary_disease`,
  long: 'mitotic_count',
})

export const pathologyDetail = fields({
  keyword: `
    additional_pathology_findings anaplasia_present anaplasia_present_type
    bone_marrow_malignant_cells breslow_thickness_category columnar_mucosa_present
    consistent_pathology_review created_datetime dysplasia_degree dysplasia_type
    epithelioid_cell_percent_range extracapsular_extension extracapsular_extension_present
    extranodal_extension extraocular_nodule_size extrascleral_extension_present
    extrathyroid_extension histologic_progression_type intratubular_germ_cell_neoplasia_present
    largest_extrapelvic_peritoneal_focus lymph_node_dissection_method lymph_node_dissection_site
    lymph_node_involved_site lymph_node_involvement lymph_nodes_removed lymphatic_invasion_present
    margin_status measurement_type measurement_unit metaplasia_present micrometastasis_present
    morphologic_architectural_pattern necrosis_present non_nodal_regional_disease
    non_nodal_tumor_deposits pathology_detail_id perineural_invasion_present
    peripancreatic_lymph_nodes_positive prcc_type residual_tumor residual_tumor_measurement
    rhabdoid_present sarcomatoid_present spindle_cell_percent_range state timepoint_category
    transglottic_extension tumor_depth_descriptor tumor_infiltrating_lymphocytes
    tumor_infiltrating_macrophages tumor_level_prostate tumor_shape updated_datetime
    vascular_invasion_present vascular_invasion_type zone_of_origin_prostate`,
  exact: 'submitter_id',
  long: `
    days_to_pathology_detail lymph_nodes_positive lymph_nodes_tested number_proliferating_cells
    peripancreatic_lymph_nodes_tested`,
  double: `
    breslow_thickness circumferential_resection_margin greatest_tumor_dimension gross_tumor_weight
    necrosis_percent percent_tumor_invasion percent_tumor_nuclei prostatic_chips_positive_count
    prostatic_chips_total_count prostatic_involvement_percent rhabdoid_percent sarcomatoid_percent
    tumor_basal_diameter tumor_burden tumor_depth_measurement tumor_largest_dimension_diameter
    tumor_length_measurement tumor_thickness tumor_width_measurement`,
})

const legacyPathologyDetail = fields({
  keyword: 'extrascleral_extension',
  double: 'epithelioid_cell_percent size_extraocular_nodule spindle_cell_percent',
})

export const treatment = fields({
  keyword: `
    chemo_concurrent_to_radiation clinical_trial_indicator created_datetime drug_category
    embolic_agent initial_disease_status margin_status margins_involved_site prescribed_dose_units
    pretreatment protocol_identifier radiosensitizing_agent reason_treatment_ended
    reason_treatment_not_given regimen_or_line_of_therapy residual_disease route_of_administration
    state therapeutic_agents therapeutic_levels_achieved therapeutic_target_level
    timepoint_category treatment_anatomic_sites treatment_dose_units treatment_effect
    treatment_effect_indicator treatment_frequency treatment_id treatment_intent_type
    treatment_or_therapy treatment_outcome treatment_type treatment_type_administered
    updated_datetime`,
  exact: 'submitter_id',
  long: `
    days_to_treatment_end days_to_treatment_start number_of_cycles treatment_dose
    treatment_duration treatment_outcome_duration`,
  double: `
    course_number lesions_treated_number margin_distance number_of_fractions prescribed_dose
    treatment_dose_max`,
})

const legacyTreatment = fields({
  keyword: 'therapeutic_level_achieved treatment_anatomic_site treatment_arm',
})

export const diagnoses = {
  ...diagnosis,
  annotations: listedAnnotation,
  pathology_details: pathologyDetail,
  treatments: treatment,
}

export const legacyDiagnoses = {
  ...legacyDiagnosis,
  pathology_details: legacyPathologyDetail,
  treatments: legacyTreatment,
}
