import type { ServiceRequest } from '../../service/service.ts'
import { type MutationClass, mutationClass } from './change-classes.ts'

/** A gene in a response of the service. */
export interface Gene {
  readonly gene_id: string
  readonly symbol?: string
  readonly name?: string
  readonly biotype?: string
  readonly cytoband?: readonly string[]
  readonly gene_chromosome?: string
  readonly gene_start?: number
  readonly gene_end?: number
  readonly gene_strand?: number
  readonly is_cancer_gene_census?: boolean | null
  readonly transcripts?: readonly Transcript[]
}

interface Transcript {
  readonly transcript_id?: string
  readonly is_canonical?: boolean
  readonly length_amino_acid?: number | null
  readonly exons?: readonly Extent[]
  readonly domains?: readonly (Extent & {
    readonly description?: string | null
    readonly hit_name?: string
  })[]
}

/** An interval with both ends inclusive. */
export interface Extent {
  readonly start: number
  readonly end: number
}

/** Changes of a gene in the cohort. */
export interface GeneChanges {
  readonly total: number
  readonly ssm_tested: number
  readonly ssm_cases: number
  readonly cnv_tested: number
  readonly cnv_cases: number
  readonly projects: readonly ProjectChanges[]
  readonly mutations_total: number
  readonly mutations: readonly { readonly ssm_id: string; readonly cases: number }[]
  readonly copy_numbers: readonly { readonly change: string; readonly cases: number }[]
}

interface ProjectChanges {
  readonly project_id: string
  readonly cases: number
  readonly ssm_tested: number
  readonly ssm_cases: number
  readonly cnv_tested: number
  readonly cnv_cases: number
}

export interface SsmHit {
  readonly ssm_id: string
  readonly start_position?: number
  readonly genomic_dna_change?: string
  readonly consequence?: readonly { readonly transcript?: SsmTranscript }[]
}

interface SsmTranscript {
  readonly is_canonical?: boolean
  readonly aa_change?: string | null
  readonly aa_start?: number | null
  readonly consequence_type?: string
  readonly annotation?: { readonly protein_position?: string | null }
  readonly gene?: { readonly gene_id?: string }
}

/** A mutation of the gene with its position. */
export interface Mutation {
  readonly id: string
  readonly cases: number
  /** Protein change such as `R175H`. The DNA change if the protein change is unknown. */
  readonly name: string
  readonly dnaChange: string | undefined
  readonly consequence: string | undefined
  readonly drawnAs: MutationClass
  /** Position of the amino acid, starting at 1, or undefined outside of the protein. */
  readonly residue: number | undefined
  readonly position: number | undefined
}

export const geneRequest = (named: string): ServiceRequest => ({
  path: '/genes',
  query: { expand: 'transcripts,transcripts.exons,transcripts.domains', size: 1 },
  filters: {
    op: 'or',
    content: [
      { op: 'in', content: { field: 'symbol', value: [named] } },
      { op: 'in', content: { field: 'gene_id', value: [named] } },
    ],
  },
})

/** Maximum number of hits per search. */
const MAX_MUTATIONS = 10_000

const SSM_FIELDS = [
  'ssm_id',
  'start_position',
  'genomic_dna_change',
  'consequence.transcript.gene.gene_id',
  ...[
    'is_canonical',
    'aa_change',
    'aa_start',
    'consequence_type',
    'annotation.protein_position',
  ].map((name) => `consequence.transcript.${name}`),
]

export const mutationsRequest = (geneId: string): ServiceRequest => ({
  path: '/ssms',
  query: { fields: SSM_FIELDS.join(','), size: MAX_MUTATIONS },
  filters: {
    op: 'in',
    content: { field: 'consequence.transcript.gene.gene_id', value: [geneId] },
  },
})

/** Returns the canonical transcript of a gene. If none is marked, returns the first. */
export const canonical = (gene: Gene): Transcript | undefined =>
  gene.transcripts?.find((one) => one.is_canonical) ?? gene.transcripts?.[0]

/** Formats the location of a gene, such as `chr17:7661779-7687550`. Undefined if the location is unknown. */
export function placeOf({ gene_chromosome, gene_start, gene_end }: Gene): string | undefined {
  if (!gene_chromosome || gene_start === undefined || gene_end === undefined) return undefined
  return `chr${gene_chromosome.replace(/^chr/, '')}:${gene_start}-${gene_end}`
}

/** Returns the mutations of the cohort with their positions in the gene. */
export function mutationsOf(
  { mutations }: Pick<GeneChanges, 'mutations'>,
  hits: readonly SsmHit[],
  geneId: string,
): readonly Mutation[] {
  const byId = new Map(hits.map((hit) => [hit.ssm_id, hit]))
  return mutations.map(({ ssm_id: id, cases }) => {
    const hit = byId.get(id)
    const own = (hit?.consequence ?? []).flatMap(({ transcript }) =>
      transcript?.gene?.gene_id === geneId ? [transcript] : [],
    )
    const shownEffect = own.find((one) => one.is_canonical) ?? own.find(residueOf) ?? own[0]
    return {
      id,
      cases,
      consequence: shownEffect?.consequence_type,
      name: shownEffect?.aa_change || hit?.genomic_dna_change || id,
      dnaChange: hit?.genomic_dna_change,
      drawnAs: mutationClass(shownEffect?.consequence_type ? [shownEffect.consequence_type] : []),
      residue: shownEffect && residueOf(shownEffect),
      position: hit?.start_position,
    }
  })
}

/** Returns the amino acid position, from a number, the change (`p.R175H`), or with the total (`175/393`). */
function residueOf({ aa_start, aa_change, annotation }: SsmTranscript): number | undefined {
  if (typeof aa_start === 'number') return aa_start
  const [text] = /\d+/.exec(aa_change ?? annotation?.protein_position ?? '') ?? []
  return text === undefined ? undefined : Number(text)
}
