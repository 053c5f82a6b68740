import { fields } from '../compose.ts'

export const exposure = fields({
  keyword: `
    alcohol_frequency alcohol_history alcohol_intensity alcohol_type asbestos_exposure_type
    chemical_exposure_type created_datetime environmental_tobacco_smoke_exposure exposure_duration
    exposure_id exposure_source exposure_type occupation_type parent_with_radiation_exposure
    secondhand_smoke_as_child smoking_frequency state time_between_waking_and_first_smoke
    tobacco_smoking_status type_of_smoke_exposure type_of_tobacco_used updated_datetime`,
  exact: 'submitter_id',
  long: `
    age_at_last_exposure age_at_onset exposure_duration_years occupation_duration_years
    tobacco_smoking_onset_year tobacco_smoking_quit_year`,
  double: `
    alcohol_days_per_week alcohol_drinks_per_day cigarettes_per_day exposure_duration_hrs_per_day
    pack_years_smoked use_per_day`,
})

export const legacyExposure = fields({
  keyword: `
    asbestos_exposure coal_dust_exposure radon_exposure respirable_crystalline_silica_exposure`,
  double: 'years_smoked',
})

export const familyHistory = fields({
  keyword: `
    created_datetime family_history_id relationship_primary_diagnosis relationship_sex_at_birth
    relationship_type relative_deceased relative_smoker relative_with_cancer_history state
    updated_datetime`,
  exact: 'submitter_id',
  long: 'relatives_with_cancer_history_count',
  double: 'relationship_age_at_diagnosis',
})

export const legacyFamilyHistory = fields({
  keyword: 'relationship_gender',
})
