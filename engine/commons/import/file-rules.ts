import { type JsonObject, textIn } from '../../shared/input/json-value.ts'

/** Data formats, keyed by file name extension without `.gz`. */
const FORMATS: Readonly<Record<string, string>> = {
  bai: 'BAI',
  bam: 'BAM',
  bed: 'BED',
  bedpe: 'BEDPE',
  cel: 'CEL',
  counts: 'TXT',
  cram: 'CRAM',
  csv: 'CSV',
  fastq: 'FASTQ',
  fq: 'FASTQ',
  h5: 'HDF5',
  h5ad: 'HDF5',
  hdf5: 'HDF5',
  idat: 'IDAT',
  jpeg: 'JPEG',
  jpg: 'JPEG',
  json: 'JSON',
  loom: 'HDF5',
  maf: 'MAF',
  pdf: 'PDF',
  rds: 'RDS',
  svs: 'SVS',
  tar: 'TAR',
  tbi: 'TBI',
  tif: 'TIFF',
  tiff: 'TIFF',
  tsv: 'TSV',
  txt: 'TXT',
  vcf: 'VCF',
  xlsx: 'XLSX',
  xml: 'BCR XML',
}

/** Returns the data format for a file name, or undefined if its extension is unknown. */
export function dataFormatOf(name: string): string | undefined {
  const ending = /\.([a-z0-9]+)(?:\.gz|\.bz2)?$/i.exec(name)?.[1]?.toLowerCase() ?? ''
  return Object.hasOwn(FORMATS, ending) ? FORMATS[ending] : undefined
}

/** File types as named in submission, keyed by data type in lower case. */
const TYPES: Readonly<Record<string, string>> = {
  'aggregated somatic mutation': 'aggregated_somatic_mutation',
  'aligned reads': 'aligned_reads',
  'annotated somatic mutation': 'annotated_somatic_mutation',
  'biospecimen supplement': 'biospecimen_supplement',
  'clinical supplement': 'clinical_supplement',
  'copy number segment': 'copy_number_segment',
  'exon expression quantification': 'gene_expression',
  'gene expression quantification': 'gene_expression',
  'gene level copy number': 'copy_number_estimate',
  'gene level copy number scores': 'copy_number_estimate',
  'isoform expression quantification': 'mirna_expression',
  'masked annotated somatic mutation': 'masked_somatic_mutation',
  'masked copy number segment': 'copy_number_segment',
  'masked somatic mutation': 'masked_somatic_mutation',
  'methylation beta value': 'methylation_beta_value',
  'mirna expression quantification': 'mirna_expression',
  'pathology report': 'pathology_report',
  'protein expression quantification': 'protein_expression',
  'raw simple somatic mutation': 'simple_somatic_mutation',
  'slide image': 'slide_image',
  'splice junction quantification': 'gene_expression',
  'structural rearrangement': 'structural_variation',
  'transcript fusion': 'structural_variation',
  'unaligned reads': 'submitted_unaligned_reads',
}

/** Returns the file type for a data type, such as `gene_expression`. Undefined for an unknown data type. */
export function fileTypeOf(dataType: string | undefined): string | undefined {
  const key = dataType?.toLowerCase() ?? ''
  return Object.hasOwn(TYPES, key) ? TYPES[key] : undefined
}

const OPEN_TYPE =
  /^masked|expression|quantification|methylation|copy number|supplement|slide image|report/i
const CLOSED_TYPE = /reads|^(raw|annotated|aggregated)\b|fusion|rearrangement|genotype|splice/i
const OPEN_NAME =
  /[._](fpkm(-uq)?|htseq[._]?counts|counts|quantification|augmented_star_gene_counts|segs?|seg\.v2|methylation\w*|level3betas|rppa_data|masked|somatic)\.|_(clinical|biospecimen)[._]|\.(svs|xml|pdf|maf)(\.gz)?$/i
const CLOSED_FORMATS: ReadonlySet<string> = new Set([
  'BAM',
  'CRAM',
  'FASTQ',
  'VCF',
  'BEDPE',
  'BAI',
  'TBI',
  'CEL',
])

/**
 * Returns the access level of a file for which no source gives one. Alignments, unmasked calls and files with
 * "protected" in their name are controlled. Types that are known to be harmless are open. All other files are
 * controlled, because a file that is closed by mistake can still be opened, but a file that is open by mistake
 * has been exposed.
 */
export function accessOf(file: JsonObject): 'open' | 'controlled' {
  const name = textIn(file.file_name) ?? ''
  const dataType = textIn(file.data_type)
  if (/protected/i.test(name)) return 'controlled'
  if (CLOSED_FORMATS.has(String(file.data_format))) return 'controlled'
  if (dataType !== undefined) {
    if (CLOSED_TYPE.test(dataType)) return 'controlled'
    if (OPEN_TYPE.test(dataType)) return 'open'
  }
  return OPEN_NAME.test(name) ? 'open' : 'controlled'
}
