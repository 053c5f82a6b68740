import { fields } from '../compose.ts'

export const demographic = fields({
  keyword: `
    age_is_obfuscated cause_of_death cause_of_death_source country_of_birth
    country_of_residence_at_enrollment created_datetime demographic_id education_level ethnicity
    marital_status population_group race sex_at_birth state updated_datetime vital_status
    year_of_birth_range`,
  exact: 'submitter_id',
  long: `
    age_at_index days_to_birth days_to_death occupation_duration_years year_of_birth year_of_death`,
})

export const legacyDemographic = fields({
  keyword: 'gender premature_at_birth',
  double: 'weeks_gestation_at_birth',
})
