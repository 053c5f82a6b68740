/** Id field of the elements of each clinical list. */
export const CLINICAL_IDS: Readonly<Record<string, string>> = {
  diagnoses: 'diagnosis_id',
  exposures: 'exposure_id',
  family_histories: 'family_history_id',
  follow_ups: 'follow_up_id',
  molecular_tests: 'molecular_test_id',
  other_clinical_attributes: 'other_clinical_attribute_id',
  pathology_details: 'pathology_detail_id',
  treatments: 'treatment_id',
}
