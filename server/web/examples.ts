import { OTHER_RECODES, PATIENT_RECODES } from '../../engine/registry/index.ts'
import type { Examples, Values } from '../http/examples.ts'

// Example values of the API page. The ids come from the demo, where they are the same in every installation.
// With other data, start from the searches, whose examples use only common fields.

const BAM = '0c2a4a8e-53a5-5d35-9c3f-6f0f6c6b1d01'
const COUNTS = '0c2a4a8e-53a5-5d35-9c3f-6f0f6c6b2d01'
const CELLS = '0c2a4a8e-53a5-5d35-9c3f-6f0f6c6b3d01'

const among = (field: string, ...value: readonly string[]) => ({
  op: 'in',
  content: { field, value },
})

const KIDNEY = among('primary_site', 'Kidney')
/** Fields of a case as mutation occurrences name them. */
const OCCURRENCE = {
  filters: among('case.primary_site', 'Kidney', 'Brain'),
  facets: 'case.primary_site',
  sort: 'case.submitter_id:asc',
}

const MORE_CASES = {
  case_ids: ['047f7959-3d33-47dc-b0d7-e511eb187619', '07d2555d-fb3c-4c4e-aa4c-c2144d62866a'],
  gene_ids: ['ENSG00000141510', 'ENSG00000912650'],
}

const DATASETS: Readonly<Record<string, Values>> = {
  '/annotations': {
    annotation_id: '003f3a83-e83e-4953-9781-19bf2aeead1c',
    query: '003f',
    filters: among('category', 'General'),
    fields: 'category,classification,entity_submitter_id',
    facets: 'category',
    sort: 'created_datetime:desc',
  },
  '/cases': {
    case_id: '0009e0cb-bf6b-44fe-803b-1ad9eea610bd',
    query: 'DEMO-BRAIN',
    filters: KIDNEY,
    fields: 'submitter_id,primary_site,demographic.gender',
    facets: 'disease_type,demographic.gender',
    sort: 'submitter_id:asc',
  },
  '/cnv_occurrences': {
    cnv_occurrence_id: '00038ddb-2340-4c1e-a303-ad16a53d7305',
    query: '0003',
    ...OCCURRENCE,
    fields: 'case.submitter_id,cnv.cnv_change',
  },
  '/cnvs': {
    cnv_id: '001f3d19-f158-45a7-92f7-19524967f647',
    query: '001f',
    filters: among('cnv_change', 'Loss'),
    fields: 'cnv_change,chromosome,start_position,consequence.gene.symbol',
    facets: 'chromosome',
    sort: 'start_position:asc',
  },
  '/files': {
    file_id: BAM,
    query: 'demo',
    filters: among('access', 'open'),
    fields: 'file_name,data_type,file_size,cases.submitter_id',
    facets: 'data_type',
    sort: 'file_size:desc',
  },
  '/genes': {
    gene_id: 'ENSG00000141510',
    query: 'TP5',
    filters: among('biotype', 'protein_coding'),
    fields: 'symbol,name,gene_chromosome',
    facets: 'gene_chromosome',
    sort: 'symbol:asc',
  },
  '/projects': {
    project_id: 'DEMO-BRAIN',
    query: 'DEMO',
    filters: KIDNEY,
    fields: 'name,primary_site,summary.case_count',
    facets: 'disease_type',
    sort: 'summary.case_count:desc',
  },
  '/segment_cnv_occurrences': {
    segment_cnv_occurrence_id: '0006fc03-75c9-442d-b4d9-df3c3708106d',
    query: '0006',
    ...OCCURRENCE,
    fields: 'case.submitter_id,segment_cnv.cnv_change',
  },
  '/segment_cnvs': {
    segment_cnv_id: '00018d1c-e5b8-44f1-aa6f-31ac178acb91',
    query: '0001',
    filters: among('cnv_change', 'Loss'),
    fields: 'cnv_change,chromosome,start_position,length',
    facets: 'chromosome',
    sort: 'length:desc',
  },
  '/ssm_occurrences': {
    ssm_occurrence_id: '00041b1f-cc48-45e8-bf00-591a9b82ec55',
    query: '0004',
    ...OCCURRENCE,
    fields: 'case.submitter_id,ssm.genomic_dna_change',
  },
  '/ssms': {
    ssm_id: '00066413-6a53-4ba4-b10d-58901d5cf86a',
    query: 'BRAF',
    filters: among('mutation_subtype', 'Small deletion'),
    fields: 'genomic_dna_change,consequence.transcript.gene.symbol',
    facets: 'chromosome',
    sort: 'start_position:asc',
  },
}

const THYMUS = { site: 'C379', hist: '9650', behavior: '3' }

/** Inputs of all recodes. */
const RECODED = {
  ...THYMUS,
  year: '2023',
  schema_id: '00480',
  grade_clinical: '2',
  grade_pathological: '3',
  date_of_diagnosis: '20230401',
  date_of_treatment: '20230515',
  sequence: '00',
  icd_revision: '1',
  cause_of_death: 'C379',
  year_last_contact: '2023',
  cut_off_year: '2024',
  tumor_size_summary: '035',
  code: 'C37',
  sex: '2',
}

/** The first two tumours are one primary by the international rules. */
const PATIENT = {
  end_year: '2024',
  date_of_last_contact: '20240229',
  vital_status: '1',
  tumors: [
    { site: 'C183', hist: '8000', behavior: '3', date_of_diagnosis: '201911', sequence: '01' },
    { site: 'C183', hist: '8140', behavior: '3', date_of_diagnosis: '20200302', sequence: '02' },
    { site: 'C619', hist: '8140', behavior: '3', date_of_diagnosis: '2022', sequence: '03' },
  ],
}

const VALUES: Readonly<Record<string, Values>> = {
  '/all': { query: 'TP53' },
  '/quick_search': { query: 'TP53' },
  ...DATASETS,
  '/analysis': { case_filters: KIDNEY },
  '/analysis/survival': {
    filters: [among('primary_site', 'Kidney'), among('primary_site', 'Brain')],
    case_filters: among('demographic.gender', 'female', 'male'),
  },
  '/analysis/compare_fields': {
    filters: [among('primary_site', 'Kidney'), among('primary_site', 'Brain')],
    fields: 'demographic.gender,diagnoses.age_at_diagnosis',
  },
  '/analysis/gene_associations': { gene_size: 10 },
  '/analysis/gene_copy_numbers': { gene_id: 'ENSG00000141510' },
  '/analysis/variables': { x: 'primary_site', y: 'diagnoses.age_at_diagnosis' },
  '/analysis/gene_changes': { gene_id: 'ENSG00000141510' },
  '/analysis/oncogrid': { gene_size: 20, case_size: 100 },
  '/analysis/top_ssms_by_gene': { gene_id: 'ENSG00000141510' },
  '/analysis/top_ssms_by_case': { case_id: '047f7959-3d33-47dc-b0d7-e511eb187619' },
  '/analysis/top_cases_counts_by_genes': { gene_ids: 'ENSG00000141510,ENSG00000012048' },
  '/biospecimen_tar': { filters: KIDNEY, size: 10 },
  '/clinical_tar': { filters: KIDNEY, size: 10 },
  '/data': { ids: COUNTS },
  '/docs': { asset: 'start.js' },
  '/explorer': { part: 'bundle.json' },
  '/files/versions': { ids: BAM, file_ids: BAM },
  '/gene_expression': {
    ...MORE_CASES,
    tsv_units: 'uqfpkm',
    selection_size: 10,
    gene_id: 'ENSG00000141510',
    other_case_filters: KIDNEY,
  },
  '/graphql': {
    query:
      '{ viewer { explore { cases { hits(first: 0) { total } aggregations { primary_site { buckets { doc_count key } } } } } } }',
  },
  '/history': { file_id: BAM },
  '/manifest': { ids: `${BAM},${COUNTS}` },
  '/scrna_seq': {
    file_id: CELLS,
    gene_ids: 'ENSG00000134086,ENSG00000146648',
    annotation: 'Group',
  },
  '/sets': { type: 'case', set_type: 'ephemeral', filters: KIDNEY, size: 100 },
  '/slicing/view': { bam_file_id: BAM, region: 'chr17:7661779-7687550' },
  '/alignments': { bam_file_id: BAM, region: 'chr17:7661779-7687550' },
  '/reads': { id: BAM, region: 'chr17:7661778-7687550' },
  '/ga4gh/drs/v1': {
    object_id: BAM,
    access_id: 'https',
    bulk_object_ids: [BAM],
    bulk_object_access_ids: [{ bulk_object_id: BAM, bulk_access_ids: ['https'] }],
    checksum: '0'.repeat(32),
  },
  '/submission': { program: 'DEMO', project: 'TRIAL', entry: 'sample', type: 'sample' },
  '/submission/graphql': { query: '{ case(first: 2) { submitter_id } _case_count }' },
  '/submission/{program}/{project}/export': { node_label: 'sample' },
  '/rest/disease': { version: 'latest', id: 'aml', year: '2015', code: 'C421', q: 'leukemia' },
  '/rest/disease/{version}/same_primary': {
    d1: '9861/3',
    d2: '9870/3',
    year1: '2015',
    year2: '2015',
  },
  '/rest/glossary': { version: 'latest', id: 'antibody', q: 'cells' },
  '/rest/hcpcs': { code: 'Z0001', q: 'tresoplatin' },
  '/rest/mph': { id: 'mph_2007_to_2017_colon' },
  '/rest/naaccr/convert': { rules: 'demo', format: 'ndjson' },
  '/rest/naaccr/edits': { format: 'ndjson' },
  '/rest/naaccr/process': { algorithm: 'demo', version: '1.0', format: 'ndjson', recode: 'seer' },
  '/rest/naaccr': { version: 'latest', id: 'madeUpSite', q: 'made', version_implemented: '21' },
  '/rest/ndc': { code: '9991-0201', q: 'tresoplatin' },
  '/rest/recode': { algorithm: 'iccc', ...RECODED },
  '/rest/rx': { version: 'latest', id: 'doxorubicin', q: 'doxorubicin' },
  '/rest/surgery': { year: 'latest', title: 'Colon (made up)', site: 'C182', hist: '8140' },
  '/rest/staging': { algorithm: 'demo', version: '1.0', id: 'bowel' },
  '/rest/staging/{algorithm}/{version}/diff': { from: '1.0', format: 'tsv' },
  '/rest/staging/{algorithm}/{version}/table': { id: 'depth' },
}

const BOWEL = {
  site: 'C182',
  hist: '8140',
  year_dx: '2023',
  depth: 'B2',
  size: '035',
  nodes_exam: '14',
  nodes_pos: '02',
}

/** Tumours in both breasts of one person, four years apart. */
const TUMOURS = [
  ['C504', '1', '2019'],
  ['C501', '2', '2023'],
].map(([primary_site, laterality, date_of_diagnosis_year]) => ({
  primary_site,
  histology_icd_o3: '8500',
  behavior_icd_o3: '3',
  laterality,
  date_of_diagnosis_year,
}))
/** There are at least two lines, because a form treats a single line as JSON and indents it. */
const lines = (...values: readonly object[]) =>
  values.map((value) => `${JSON.stringify(value)}\n`).join('')

const PAIR = { input1: TUMOURS[0], input2: TUMOURS[1] }

const REGISTRY_FILE = `<?xml version="1.0"?>
<NaaccrData baseDictionaryUri="http://naaccr.org/naaccrxml/naaccr-dictionary-210.xml" recordType="I"
    specificationVersion="1.7" xmlns="http://naaccr.org/naaccrxml">
  <Patient>
    <Item naaccrId="patientIdNumber">00000001</Item>
    <Tumor>
      <Item naaccrId="dateOfDiagnosis">20230131</Item>
      <Item naaccrId="primarySite">C182</Item>
      <Item naaccrId="histologicTypeIcdO3">8140</Item>
      <Item naaccrId="behaviorCodeIcdO3">3</Item>
    </Tumor>
  </Patient>
</NaaccrData>
`

const SAMPLE = {
  type: 'sample',
  submitter_id: 'trial-1-second',
  cases: { submitter_id: 'trial-1' },
  tissue_type: 'Tumor',
  specimen_type: 'Solid Tissue',
  tumor_descriptor: 'Metastatic',
  preservation_method: 'Frozen',
}

const MANIFEST = `id\tfilename\tmd5\tsize\tstate\n${BAM}\tdemo-tumour.bam\t\t\t\n`

/** Indented as a form does. */
const UPLOADS = `files:
  - id: ${BAM}
    file_name: reads.bam
    local_file_path: /reads.bam`

const BODIES: Readonly<Record<string, unknown>> = {
  'POST /cohorts': { name: 'Kidney', filters: KIDNEY },
  'POST /files/versions': { ids: [BAM] },
  'POST /files/versions/manifest': MANIFEST,
  'POST /submission/validation/upload_manifest': UPLOADS,
  'POST /submission/{program}/{project}': SAMPLE,
  'PUT /submission/{program}/{project}': SAMPLE,
  'PATCH /submission/{program}/{project}': { ...SAMPLE, submitter_id: 'trial-1-tumour' },
  'POST /submission/{program}/{project}/_dry_run': SAMPLE,
  'PUT /submission/{program}/{project}/_dry_run': SAMPLE,
  'PATCH /submission/{program}/{project}/_dry_run': { ...SAMPLE, submitter_id: 'trial-1-tumour' },
  'POST /rest/disease/reportability': {
    type: 'HEMATO',
    icdO3_morphology: '9861/3',
    icdO3_effective: { start: 2001 },
    valid: { start: 2001 },
  },
  'POST /rest/glossary/match': 'An antibody binds to cells of the tumour.',
  'POST /rest/mph': PAIR,
  'POST /rest/mph/batch': lines(PAIR, { input1: TUMOURS[0], input2: TUMOURS[0] }),
  'POST /rest/mph/patient': { tumours: TUMOURS },
  'POST /rest/naaccr/convert': REGISTRY_FILE,
  'POST /rest/naaccr/edits': REGISTRY_FILE,
  'POST /rest/naaccr/process': REGISTRY_FILE,
  ...Object.fromEntries(
    OTHER_RECODES.map(({ id, inputs }) => {
      const given = Object.entries(RECODED).filter(([name]) => Object.hasOwn(inputs, name))
      return [`POST /rest/recode/${id}/batch`, lines(Object.fromEntries(given), {})]
    }),
  ),
  ...Object.fromEntries(
    PATIENT_RECODES.flatMap(({ id }) => [
      [`POST /rest/recode/${id}`, PATIENT],
      [`POST /rest/recode/${id}/batch`, lines(PATIENT, { tumors: [] })],
    ]),
  ),
  'POST /rest/recode/sitegroup/{algorithm}/batch': lines(THYMUS, { ...THYMUS, hist: '8000' }),
  'POST /rest/staging/{algorithm}/{version}/schemas/lookup': { site: 'C182', hist: '8140' },
  'POST /rest/staging/{algorithm}/{version}/stage': BOWEL,
  'POST /rest/staging/{algorithm}/{version}/stage/batch': lines(BOWEL, { ...BOWEL, depth: 'XX' }),
  'POST /rest/staging/{algorithm}/{version}/table/{id}/match': { depth: 'B2' },
  'POST /rest/staging/{algorithm}/{version}/{id}/defaults': { site: 'C182', hist: '8140' },
}

export const EXAMPLES: Examples = Object.freeze({ values: VALUES, bodies: BODIES })
