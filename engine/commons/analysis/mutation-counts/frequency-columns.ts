type Cell = string | number | null

/** Counts of one record, and the numbers of cases by which they are divided. */
interface Counted {
  readonly cohort: number
  readonly all: number
  readonly gains: number
  readonly losses: number
  readonly mutations: number
  readonly tested: { readonly cohort: number; readonly all: number; readonly copies: number }
}

/** Names of the columns about the cohort. They differ between tables of the public service. */
interface CohortNames {
  readonly affected: string
  readonly of: string
  readonly percentage: string
}

/** Returns the cells of a record, keyed by column name, in column order. */
export type CellsOf = (record: Shown, counted: Counted) => Readonly<Record<string, Cell>>

type Shown = Readonly<Record<string, unknown>>

export const COHORT_NAMES: CohortNames = Object.freeze({
  affected: 'num_cohort_ssm_affected_cases',
  of: 'num_cohort_ssm_cases',
  percentage: 'cohort_ssm_affected_cases_percentage',
})

/**
 * Returns the column names of a table restricted to one gene.
 * @example geneNames('TP53').of // 'num_TP53_cases'
 */
export const geneNames = (symbol: string): CohortNames => ({
  affected: 'num_ssm_affected_cases',
  of: `num_${symbol}_cases`,
  percentage: 'ssm_affected_cases_percentage',
})

/**
 * Returns the column names of a table restricted to one project.
 * @example projectNames('TCGA-LUAD').of // 'num_TCGA-LUAD_cases'
 */
export const projectNames = (project: string): CohortNames => ({
  affected: `num_${project}_ssm_affected_cases`,
  of: `num_${project}_cases`,
  percentage: `${project}_ssm_affected_cases_percentage`,
})

/** Fields of a gene that the table of genes needs. */
export const GENE_FIELDS = Object.freeze([
  'gene_id',
  'symbol',
  'name',
  'cytoband',
  'biotype',
  'is_cancer_gene_census',
])

export const geneCells: CellsOf = (gene, counted) => {
  const { tested, gains, losses } = counted
  return {
    gene_id: textOf(gene.gene_id),
    symbol: textOf(gene.symbol),
    name: textOf(gene.name),
    cytoband: listOf(gene.cytoband).map(String).join(', '),
    type: textOf(gene.biotype),
    ...partsOf(COHORT_NAMES, counted),
    num_cohort_cnv_cases: tested.copies,
    num_cohort_cnv_gain_cases: gains,
    cohort_cnv_gain_cases_percentage: percentOf(gains, tested.copies),
    num_cohort_cnv_loss_cases: losses,
    cohort_cnv_loss_cases_percentage: percentOf(losses, tested.copies),
    num_mutations: counted.mutations,
    annotations: gene.is_cancer_gene_census === true ? 'Cancer Gene Census' : null,
  }
}

const TRANSCRIPT = 'consequence.transcript'
const IMPACTS = ['vep_impact', 'sift_impact', 'sift_score', 'polyphen_impact', 'polyphen_score']

/** Fields of a mutation that the tables of mutations need. */
export const MUTATION_FIELDS = Object.freeze([
  'ssm_id',
  'genomic_dna_change',
  'mutation_subtype',
  ...['is_canonical', 'aa_change', 'consequence_type', 'gene.gene_id', 'gene.symbol'].map(
    (name) => `${TRANSCRIPT}.${name}`,
  ),
  ...IMPACTS.map((name) => `${TRANSCRIPT}.annotation.${name}`),
])

/** @param geneId gene whose canonical transcript is shown; by default the first gene of the record */
export const mutationCells =
  (names: CohortNames, geneId?: string): CellsOf =>
  (mutation, counted) => {
    const transcript = canonicalOf(mutation, geneId)
    const gene = objectOf(transcript.gene)
    const annotation = objectOf(transcript.annotation)
    const change = [textOf(gene.symbol), textOf(transcript.aa_change)].filter(Boolean)
    return {
      ssm_id: textOf(mutation.ssm_id),
      dna_change: textOf(mutation.genomic_dna_change),
      protein_change: change.join(' '),
      type: typeName(textOf(mutation.mutation_subtype)),
      consequence: consequenceName(textOf(transcript.consequence_type)),
      ...partsOf(names, counted),
      ...Object.fromEntries(IMPACTS.map((name) => [name, cellOf(annotation[name])])),
    }
  }

function canonicalOf(mutation: Shown, geneId: string | undefined): Shown {
  const transcripts = listOf(mutation.consequence).map((one) => objectOf(objectOf(one).transcript))
  const canonical = transcripts.filter((one) => one.is_canonical === true)
  const ofGene = (one: Shown) => objectOf(one.gene).gene_id === geneId
  return canonical.find((one) => geneId !== undefined && ofGene(one)) ?? canonical[0] ?? {}
}

function partsOf(names: CohortNames, { cohort, all, tested }: Counted) {
  return {
    [names.affected]: cohort,
    [names.of]: tested.cohort,
    [names.percentage]: percentOf(cohort, tested.cohort),
    num_gdc_ssm_affected_cases: all,
    num_gdc_ssm_cases: tested.all,
    gdc_ssm_affected_cases_percentage: percentOf(all, tested.all),
  }
}

/** Returns the percentage with two decimals, or null if `whole` is 0. */
const percentOf = (part: number, whole: number): string | null =>
  whole === 0 ? null : ((100 * part) / whole).toFixed(2)

/**
 * Returns the short name of a mutation type.
 * @example typeName('Single base substitution') // 'Substitution'
 */
const typeName = (subtype: string | null): string | null =>
  subtype === null ? null : capital(subtype.slice(subtype.lastIndexOf(' ') + 1))

/**
 * Returns the display name of a consequence.
 * @example consequenceName('splice_donor_variant') // 'Splice Donor'
 */
const consequenceName = (type: string | null): string | null =>
  type === null
    ? null
    : type
        .replace(/_variant$/, '')
        .split('_')
        .map(capital)
        .join(' ')

const capital = (word: string) => word.slice(0, 1).toUpperCase() + word.slice(1)

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)

const cellOf = (value: unknown): Cell =>
  typeof value === 'string' || typeof value === 'number' ? value : null

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

const objectOf = (value: unknown): Shown =>
  typeof value === 'object' && value !== null ? (value as Shown) : {}
