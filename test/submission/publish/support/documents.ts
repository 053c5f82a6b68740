import { md5Of } from './world.ts'

/** A JSON body of a request. */
export const json = (body: unknown) => ({
  body: Buffer.from(JSON.stringify(body)),
  format: 'json' as const,
})

/** An entity in its submitted form. */
export interface GivenDocument {
  readonly type: string
  readonly submitter_id: string
  readonly [name: string]: unknown
}

const link = (submitter_id: string) => ({ submitter_id })

export const caseDocument = (name: string, code: string) => ({
  type: 'case',
  submitter_id: name,
  projects: { code },
  disease_type: 'Adenomas and Adenocarcinomas',
  primary_site: 'Kidney',
  index_date: 'Diagnosis',
})

export const sampleDocument = (name: string, of: string, tissue: 'Normal' | 'Tumor' = 'Tumor') => ({
  type: 'sample',
  submitter_id: name,
  cases: link(of),
  preservation_method: 'FFPE',
  specimen_type: 'Solid Tissue',
  tissue_type: tissue,
  tumor_descriptor: tissue === 'Tumor' ? 'Primary' : 'Not Applicable',
})

export const readGroupDocument = (name: string, of: string) => ({
  type: 'read_group',
  submitter_id: name,
  aliquots: link(of),
  experiment_name: 'experiment',
  sequencing_center: 'center',
  platform: 'Illumina',
  library_selection: 'PCR',
  library_strategy: 'WXS',
  library_name: 'library',
  is_paired_end: true,
  read_length: 75,
  read_group_name: name,
  target_capture_kit: 'Unknown',
})

/** The properties of a file that follow from its bytes. */
export const bytesOf = (name: string, bytes: Uint8Array) => ({
  file_name: name,
  file_size: bytes.length,
  md5sum: md5Of(bytes),
})

export const alignmentDocument = (
  name: string,
  of: string,
  fileName: string,
  bytes: Uint8Array,
) => ({
  type: 'submitted_aligned_reads',
  submitter_id: name,
  read_groups: [link(of)],
  ...bytesOf(fileName, bytes),
  data_category: 'Sequencing Reads',
  data_format: 'BAM',
  data_type: 'Aligned Reads',
  experimental_strategy: 'WXS',
})

export const tableDocument = (name: string, of: string, fileName: string, bytes: Uint8Array) => ({
  type: 'submitted_genomic_profile',
  submitter_id: name,
  read_groups: [link(of)],
  ...bytesOf(fileName, bytes),
  data_category: 'Genomic Profiling',
  data_format: 'TSV',
  data_type: 'GENIE Report',
  experimental_strategy: 'WXS',
})

/** A case with one entity of each type below it, whose names start with the case's. */
export function wholeCase(name: string, code: string): readonly GivenDocument[] {
  const of = (other: string) => `${name}_${other}`
  return [
    caseDocument(name, code),
    {
      type: 'demographic',
      submitter_id: of('demographic'),
      cases: link(name),
      ethnicity: 'not reported',
      race: 'asian',
      vital_status: 'Dead',
      days_to_death: 400,
      sex_at_birth: 'female',
    },
    {
      type: 'diagnosis',
      submitter_id: of('diagnosis'),
      cases: link(name),
      age_at_diagnosis: 20_000,
      morphology: '8140/3',
      primary_diagnosis: 'Adenocarcinoma, NOS',
      diagnosis_is_primary_disease: true,
      site_of_resection_or_biopsy: 'Kidney, NOS',
      tissue_or_organ_of_origin: 'Kidney, NOS',
    },
    { type: 'treatment', submitter_id: of('treatment'), diagnoses: link(of('diagnosis')) },
    { type: 'pathology_detail', submitter_id: of('detail'), diagnoses: link(of('diagnosis')) },
    { type: 'exposure', submitter_id: of('exposure'), cases: link(name), pack_years_smoked: 7.5 },
    { type: 'family_history', submitter_id: of('history'), cases: link(name) },
    {
      type: 'follow_up',
      submitter_id: of('follow_up'),
      cases: link(name),
      days_to_follow_up: 300,
    },
    {
      type: 'molecular_test',
      submitter_id: of('test'),
      follow_ups: link(of('follow_up')),
      gene_symbol: 'ABI1',
      molecular_analysis_method: 'Cytogenetics, NOS',
      test_result: 'Amplified',
    },
    {
      type: 'other_clinical_attribute',
      submitter_id: of('attribute'),
      follow_ups: link(of('follow_up')),
      bmi: 22.5,
    },
    sampleDocument(of('sample'), name),
    { type: 'portion', submitter_id: of('portion'), samples: link(of('sample')) },
    {
      type: 'analyte',
      submitter_id: of('analyte'),
      portions: link(of('portion')),
      analyte_type: 'DNA',
    },
    { type: 'aliquot', submitter_id: of('aliquot'), analytes: link(of('analyte')) },
    {
      type: 'slide',
      submitter_id: of('slide'),
      portions: link(of('portion')),
      section_location: 'TOP',
    },
    readGroupDocument(of('reads'), of('aliquot')),
    {
      type: 'annotation',
      submitter_id: of('remark'),
      aliquots: link(of('aliquot')),
      category: 'General',
      notes: 'a remark',
      classification: 'Observation',
    },
  ]
}
