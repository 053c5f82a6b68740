import { fields } from '../compose.ts'
import { listedAnnotation } from './annotation.ts'
import { demographic, legacyDemographic } from './demographic.ts'
import { diagnoses, legacyDiagnoses } from './diagnosis.ts'
import { exposure, familyHistory, legacyExposure, legacyFamilyHistory } from './exposure.ts'
import { followUps, legacyFollowUps } from './follow-up.ts'
import { hiddenProject, project } from './project.ts'
import { legacySamples, sampleLevels, samples } from './sample.ts'
import { tissueSourceSite } from './site.ts'

/** A case as shown in its files. The dataset adds the files. */
export const patientCase = fields(
  {
    keyword: `
      aliquot_ids analyte_ids case_id consent_type created_datetime diagnosis_ids disease_type
      index_date lost_to_followup portion_ids primary_site sample_ids slide_ids state
      submitter_aliquot_ids submitter_analyte_ids submitter_diagnosis_ids submitter_portion_ids
      submitter_sample_ids submitter_slide_ids updated_datetime`,
    exact: 'submitter_id',
    long: 'days_to_consent days_to_lost_to_followup',
  },
  {
    annotations: listedAnnotation,
    demographic,
    diagnoses,
    exposures: exposure,
    family_histories: familyHistory,
    follow_ups: followUps,
    project,
    samples,
    summary: fields(
      { long: 'file_count file_size' },
      {
        data_categories: fields({ keyword: 'data_category', long: 'file_count' }),
        experimental_strategies: fields({ exact: 'experimental_strategy', long: 'file_count' }),
      },
    ),
    tissue_source_site: tissueSourceSite,
  },
)

/** Hidden fields of a case: clients may request them, but no documentation lists them (Dataset.hidden). */
export const legacyCase = {
  demographic: legacyDemographic,
  diagnoses: legacyDiagnoses,
  exposures: legacyExposure,
  family_histories: legacyFamilyHistory,
  follow_ups: legacyFollowUps,
  project: hiddenProject,
  samples: legacySamples,
}

/** Paths of the lists of objects in a case (Dataset.nested). */
export const caseLevels = [
  'annotations',
  'diagnoses',
  'diagnoses.annotations',
  'diagnoses.pathology_details',
  'diagnoses.treatments',
  'exposures',
  'family_histories',
  'follow_ups',
  'follow_ups.molecular_tests',
  'follow_ups.other_clinical_attributes',
  ...sampleLevels,
  'summary.data_categories',
  'summary.experimental_strategies',
]
