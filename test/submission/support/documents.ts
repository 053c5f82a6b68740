// Documents for the project GDC-INTERNAL that the dictionary accepts.

export const caseOf = (name: string, more: object = {}) => ({
  type: 'case',
  submitter_id: name,
  disease_type: 'Adenomas and Adenocarcinomas',
  primary_site: 'Bladder',
  projects: { code: 'INTERNAL' },
  ...more,
})
export const sampleOf = (name: string, parent: string, more: object = {}) => ({
  type: 'sample',
  submitter_id: name,
  tissue_type: 'Tumor',
  preservation_method: 'Fresh',
  specimen_type: 'Whole Bone Marrow',
  tumor_descriptor: 'Primary',
  cases: { submitter_id: parent },
  ...more,
})
export const aliquotOf = (name: string, parent: string) => ({
  type: 'aliquot',
  submitter_id: name,
  samples: { submitter_id: parent },
})
export const fileOf = (name: string, more: object = {}) => ({
  type: 'clinical_supplement',
  submitter_id: name,
  data_category: 'Clinical',
  data_type: 'Clinical Supplement',
  data_format: 'BCR XML',
  file_name: `${name}.xml`,
  file_size: 5,
  md5sum: 'ecaaa87613ba03c971bfefdb6f693959',
  ...more,
})
