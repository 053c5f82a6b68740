/** A kind of table that is recognised but not imported. */
interface KnownTable {
  readonly name: string
  readonly has: (columns: ReadonlySet<string>) => boolean
  /** Advice on what to import instead. */
  readonly instead: string
}

const all =
  (...names: readonly string[]) =>
  (columns: ReadonlySet<string>) =>
    names.every((name) => columns.has(name))

const some = (pattern: RegExp) => (columns: ReadonlySet<string>) =>
  [...columns].some((column) => pattern.test(column))

const THRESHOLDED = 'import all_thresholded.by_genes.txt of the same run'
const AS_MAF =
  'turn it into a mutation table (MAF) first, as icgcSimpleMutationToMAF of the R package maftools does'

const NOT_IMPORTED: readonly KnownTable[] = [
  {
    name: 'table of lesions (GISTIC, all_lesions)',
    has: all('Unique Name', 'Descriptor', 'Wide Peak Limits'),
    instead: THRESHOLDED,
  },
  {
    name: 'table of scores (GISTIC, scores.gistic)',
    has: all('Type', 'Chromosome', 'G-score'),
    instead: THRESHOLDED,
  },
  {
    name: 'table of chromosome arms (GISTIC, broad_values_by_arm)',
    has: all('Chromosome Arm'),
    instead: THRESHOLDED,
  },
  {
    name: 'table of chromosome arms (GISTIC, broad_significance_results)',
    has: all('Arm', '# Genes'),
    instead: THRESHOLDED,
  },
  {
    name: 'table of peaks with their genes (GISTIC, amp_genes or del_genes)',
    has: (columns) => columns.has('cytoband') && [...columns].slice(1).every(isBand),
    instead: THRESHOLDED,
  },
  {
    name: 'table of values by gene (GISTIC, all_data_by_genes and the like)',
    has: all('Gene Symbol', 'Cytoband'),
    instead: THRESHOLDED,
  },
  {
    name: 'mutation table of the ICGC',
    has: all('icgc_mutation_id', 'mutated_to_allele'),
    instead: AS_MAF,
  },
  {
    name: 'table of the ICGC',
    has: some(/^icgc_\w+_id$/),
    instead: 'its columns belong to another data model; rename them to those of a clinical export',
  },
  {
    name: 'clinical table of cBioPortal',
    has: all('PATIENT_ID', 'OS_STATUS', 'OS_MONTHS'),
    instead: 'give a table with the columns _PATIENT, OS (0 or 1) and OS.time (days)',
  },
  {
    name: 'table of points of a survival curve',
    has: some(/^survival_?estimate$/i),
    instead: 'import the clinical tables of its cases; curves are computed of them',
  },
]

/** Returns whether a column name is a chromosome band or padding. */
const isBand = (column: string) => /^(\d{1,2}|[XY])?[pq]\d[\d.]*$/i.test(column) || column === ''

/** Returns why a recognised table is not imported. Undefined for all other tables. */
export function reasonNotImported(columns: ReadonlySet<string>): string | undefined {
  const known = NOT_IMPORTED.find(({ has }) => has(columns))
  return known && `it is a ${known.name}, which is not imported; ${known.instead}`
}
