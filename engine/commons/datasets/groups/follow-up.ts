import { fields } from '../compose.ts'

const followUp = fields({
  keyword: `
    adverse_event adverse_event_grade barretts_esophagus_goblet_cells_present cause_of_response
    created_datetime disease_response ecog_performance_status evidence_of_progression_type
    evidence_of_recurrence_type first_event follow_up_id histologic_progression history_of_tumor
    history_of_tumor_type hormone_replacement_therapy_type imaging_anatomic_site imaging_findings
    imaging_result imaging_type karnofsky_performance_status peritoneal_washing_results
    procedures_performed progression_or_recurrence progression_or_recurrence_anatomic_site
    progression_or_recurrence_type scan_tracer_used state timepoint_category
    treatment_emergent_adverse_event updated_datetime`,
  exact: 'submitter_id',
  long: `
    days_to_adverse_event days_to_first_event days_to_follow_up days_to_imaging
    days_to_progression days_to_progression_free days_to_recurrence discontiguous_lesion_count
    recist_targeted_regions_number year_of_follow_up`,
  double: 'imaging_suv imaging_suv_max recist_targeted_regions_sum',
})

const legacyFollowUp = fields({
  keyword: `
    aids_risk_factors cdc_hiv_risk_factors comorbidities comorbidity
    comorbidity_method_of_diagnosis diabetes_treatment_type eye_color haart_treatment_indicator
    hepatitis_sustained_virological_response hormonal_contraceptive_type
    hormonal_contraceptive_use hpv_positive_type hysterectomy_margins_involved hysterectomy_type
    immunosuppressive_treatment_type menopause_status pregnancy_outcome reflux_treatment_type
    risk_factor risk_factor_method_of_diagnosis risk_factor_treatment risk_factors
    undescended_testis_corrected undescended_testis_corrected_laterality
    undescended_testis_corrected_method undescended_testis_history
    undescended_testis_history_laterality viral_hepatitis_serologies`,
  long: `
    days_to_comorbidity days_to_risk_factor pancreatitis_onset_year pregnancy_count
    undescended_testis_corrected_age`,
  double: `
    bmi body_surface_area cd4_count dlco_ref_predictive_percent fev1_fvc_post_bronch_percent
    fev1_fvc_pre_bronch_percent fev1_ref_post_bronch_percent fev1_ref_pre_bronch_percent height
    hiv_viral_load nadir_cd4_count weight`,
})

const molecularTest = fields({
  keyword: `
    aa_change aneuploidy antigen biospecimen_type chromosomal_translocation chromosome
    chromosome_arm clonality created_datetime cytoband exon gene_symbol histone_family
    histone_variant hpv_strain intron laboratory_test locus mismatch_repair_mutation
    molecular_analysis_method molecular_consequence molecular_test_id mutation_codon pathogenicity
    ploidy second_exon second_gene_symbol specialized_molecular_test staining_intensity_scale
    staining_intensity_value state test_analyte_type test_result test_units test_value_range
    timepoint_category transcript updated_datetime variant_origin variant_type zygosity`,
  exact: 'submitter_id',
  long: 'cell_count days_to_test loci_abnormal_count loci_count',
  double: `
    biospecimen_volume blood_test_normal_range_lower blood_test_normal_range_upper copy_number
    mitotic_count mitotic_total_area test_value`,
})

const otherClinicalAttribute = fields({
  keyword: `
    aids_risk_factors cdc_hiv_risk_factors comorbidities comorbidity_method_of_diagnosis
    created_datetime diabetes_treatment_type exercise_frequency_weekly eye_color fertility_history
    haart_treatment_indicator hepatitis_sustained_virological_response hormonal_contraceptive_type
    hormonal_contraceptive_use hormonal_replacement_therapy_status
    hormone_replacement_therapy_type hysterectomy_margins_involved hysterectomy_type
    immunosuppressive_treatment_type menopause_status myasthenia_gravis_classification
    nononcologic_therapeutic_agents number_of_pregnancies other_clinical_attribute_id
    oxygen_use_indicator oxygen_use_type pregnancy_outcome pregnant_at_diagnosis
    premature_at_birth reflux_treatment_type risk_factor_method_of_diagnosis risk_factor_treatment
    risk_factors state timepoint_category treatment_frequency undescended_testis_corrected
    undescended_testis_corrected_age_range undescended_testis_corrected_laterality
    undescended_testis_corrected_method undescended_testis_history
    undescended_testis_history_laterality updated_datetime viral_hepatitis_serology_tests`,
  exact: 'submitter_id',
  long: 'days_to_comorbidity days_to_risk_factor pancreatitis_onset_year',
  double: `
    bmi body_surface_area cd4_count dlco_ref_predictive_percent fev1_fvc_post_bronch_percent
    fev1_fvc_pre_bronch_percent fev1_ref_post_bronch_percent fev1_ref_pre_bronch_percent height
    hiv_viral_load nadir_cd4_count weeks_gestation_at_birth weight`,
})

const legacyOtherClinicalAttribute = fields({
  keyword: 'viral_hepatitis_serologies',
  long: 'pregnancy_count undescended_testis_corrected_age',
})

export const followUps = {
  ...followUp,
  molecular_tests: molecularTest,
  other_clinical_attributes: otherClinicalAttribute,
}

export const legacyFollowUps = {
  ...legacyFollowUp,
  other_clinical_attributes: legacyOtherClinicalAttribute,
}
