import { fields, merge, pick } from '../compose.ts'
import { patientCase } from './case.ts'
import { demographic, legacyDemographic } from './demographic.ts'
import { diagnosis, legacyDiagnoses, pathologyDetail, treatment } from './diagnosis.ts'
import { exposure, familyHistory, legacyExposure, legacyFamilyHistory } from './exposure.ts'
import { hiddenProject, program, project } from './project.ts'
import { sample } from './sample.ts'
import { tissueSourceSite } from './site.ts'

const variantDiagnosis = fields({
  keyword: `
    cause_of_death colon_polyps_history hiv_positive hpv_positive_type hpv_status
    new_event_anatomic_site new_event_type`,
  long: `
    days_to_hiv_diagnosis days_to_new_event ldh_level_at_diagnosis ldh_normal_range_upper`,
})

const availability = fields({ keyword: 'available_variation_data' })
const bodyMass = fields({ double: 'bmi' })

/** Fields of a case that only variants show. In the dataset of cases, they are hidden. */
export const variantOnlyCase = {
  ...availability,
  diagnoses: variantDiagnosis,
  exposures: bodyMass,
}

/** A case as shown in the occurrences of simple mutations, without its observation. */
export const variantCase = {
  ...pick(
    { ...patientCase, ...availability },
    `available_variation_data case_id consent_type days_to_consent disease_type index_date
     lost_to_followup primary_site state submitter_id`,
  ),
  demographic: pick(
    { ...demographic, ...legacyDemographic },
    `age_at_index age_is_obfuscated cause_of_death days_to_birth days_to_death demographic_id
     ethnicity gender race state submitter_id vital_status year_of_birth year_of_death`,
  ),
  diagnoses: {
    ...variantDiagnosis,
    ...pick(
      legacyDiagnoses,
      'metastasis_at_diagnosis_site micropapillary_features pregnant_at_diagnosis',
    ),
    ...pick(
      diagnosis,
      `age_at_diagnosis ajcc_clinical_m ajcc_clinical_n ajcc_clinical_stage ajcc_clinical_t
       ajcc_pathologic_m ajcc_pathologic_n ajcc_pathologic_stage ajcc_pathologic_t
       ajcc_staging_system_edition ann_arbor_b_symptoms ann_arbor_clinical_stage
       ann_arbor_extranodal_involvement ann_arbor_pathologic_stage
       burkitt_lymphoma_clinical_variant classification_of_tumor cog_renal_stage
       days_to_diagnosis days_to_last_follow_up days_to_last_known_disease_status
       days_to_recurrence diagnosis_id esophageal_columnar_dysplasia_degree
       esophageal_columnar_metaplasia_present figo_stage figo_staging_edition_year
       gastric_esophageal_junction_involvement goblet_cells_columnar_mucosa_present icd_10_code
       igcccg_stage inss_stage international_prognostic_index iss_stage
       last_known_disease_status laterality masaoka_stage metastasis_at_diagnosis
       method_of_diagnosis morphology primary_diagnosis primary_gleason_grade prior_malignancy
       prior_treatment progression_or_recurrence residual_disease secondary_gleason_grade
       site_of_resection_or_biopsy state submitter_id synchronous_malignancy
       tissue_or_organ_of_origin tumor_grade year_of_diagnosis`,
    ),
    pathology_details: pick(
      pathologyDetail,
      `anaplasia_present anaplasia_present_type bone_marrow_malignant_cells breslow_thickness
       circumferential_resection_margin columnar_mucosa_present dysplasia_degree dysplasia_type
       greatest_tumor_dimension gross_tumor_weight largest_extrapelvic_peritoneal_focus
       lymph_node_involved_site lymph_node_involvement lymph_nodes_positive lymph_nodes_tested
       lymphatic_invasion_present margin_status metaplasia_present
       morphologic_architectural_pattern non_nodal_regional_disease non_nodal_tumor_deposits
       number_proliferating_cells pathology_detail_id percent_tumor_invasion
       perineural_invasion_present peripancreatic_lymph_nodes_positive
       peripancreatic_lymph_nodes_tested prostatic_chips_positive_count
       prostatic_chips_total_count prostatic_involvement_percent state submitter_id
       transglottic_extension tumor_largest_dimension_diameter vascular_invasion_present
       vascular_invasion_type`,
    ),
    treatments: pick(
      { ...treatment, ...legacyDiagnoses.treatments },
      `chemo_concurrent_to_radiation days_to_treatment_end days_to_treatment_start
       initial_disease_status number_of_cycles regimen_or_line_of_therapy state submitter_id
       therapeutic_agents treatment_anatomic_site treatment_dose treatment_frequency treatment_id
       treatment_intent_type treatment_or_therapy treatment_outcome treatment_type`,
    ),
  },
  exposures: pick(
    { ...exposure, ...legacyExposure },
    `alcohol_days_per_week alcohol_history alcohol_intensity asbestos_exposure cigarettes_per_day
     exposure_id pack_years_smoked radon_exposure state submitter_id tobacco_smoking_onset_year
     tobacco_smoking_quit_year tobacco_smoking_status years_smoked`,
  ),
  family_histories: pick(
    { ...familyHistory, ...legacyFamilyHistory },
    `family_history_id relationship_age_at_diagnosis relationship_gender
     relationship_primary_diagnosis relationship_type relative_with_cancer_history state
     submitter_id`,
  ),
  project: {
    ...pick(
      { ...project, ...hiddenProject },
      'disease_type intended_release_date name primary_site project_id registry_accession_number',
    ),
    program,
  },
  samples: pick(
    sample,
    'preservation_method sample_type specimen_type tissue_type tumor_descriptor',
  ),
  tissue_source_site: tissueSourceSite,
}

/** A case as shown in the occurrences of copy-number changes: with the body mass index. */
export const copyNumberCase = merge(variantCase, { exposures: bodyMass })

/** Nested levels of a case in variants. Unlike elsewhere, samples are not a level. */
export const variantCaseLevels = [
  'diagnoses',
  'diagnoses.pathology_details',
  'diagnoses.treatments',
  'exposures',
  'family_histories',
  'observation',
]
