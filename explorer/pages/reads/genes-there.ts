import { useMemo } from 'preact/hooks'
import type { SearchAnswer } from '../../cohort/count.ts'
import { type Answer, useAnswer } from '../../service/use-answer.ts'
import type { Region } from './region.ts'

/** A gene as igv.js draws it: positions are 0-based and half-open. */
export interface DrawnGene {
  readonly chr: string
  readonly start: number
  readonly end: number
  readonly name: string
  readonly strand: '+' | '-' | '.'
  readonly exons: readonly { readonly start: number; readonly end: number }[]
}

interface GeneHit {
  readonly symbol?: string
  readonly gene_id: string
  readonly gene_start: number
  readonly gene_end: number
  readonly gene_strand?: number
  readonly transcripts?: readonly {
    readonly is_canonical?: boolean
    readonly exons?: readonly { readonly start?: number; readonly end?: number }[]
  }[]
}

/** Maximum number of drawn genes, which come in the order of their ids. */
const MAX_GENES = 500

/** Loads the genes of the release that overlap a region. */
export function useGenesThere({ reference, start, end }: Region): Answer<readonly DrawnGene[]> {
  const chromosome = reference.replace(/^chr/, '')
  const answer = useAnswer<SearchAnswer<GeneHit>>({
    path: '/genes',
    query: {
      fields:
        'symbol,gene_id,gene_start,gene_end,gene_strand,transcripts.is_canonical,transcripts.exons.start,transcripts.exons.end',
      size: MAX_GENES,
    },
    filters: {
      op: 'and',
      content: [
        // Mitochondrial genes are of MT, and reads of chrM.
        {
          op: 'in',
          content: { field: 'gene_chromosome', value: [chromosome === 'M' ? 'MT' : chromosome] },
        },
        { op: '<=', content: { field: 'gene_start', value: end } },
        { op: '>=', content: { field: 'gene_end', value: start } },
      ],
    },
  })
  const hits = answer.data?.data.hits
  const data = useMemo(() => hits?.map((hit) => drawn(hit, reference)), [hits, reference])
  return { ...answer, data }
}

const STRANDS: ReadonlyMap<number | undefined, '+' | '-'> = new Map([
  [1, '+'],
  [-1, '-'],
])

/** Returns a gene with the exons of its canonical transcript. */
function drawn(hit: GeneHit, reference: string): DrawnGene {
  const { symbol, gene_id, gene_start, gene_end, gene_strand, transcripts = [] } = hit
  const canonical = transcripts.find(({ is_canonical }) => is_canonical)
  const exons = (canonical?.exons ?? []).flatMap(({ start, end }) =>
    start !== undefined && end !== undefined ? [{ start: start - 1, end }] : [],
  )
  return {
    chr: reference,
    start: gene_start - 1,
    end: gene_end,
    name: symbol ?? gene_id,
    strand: STRANDS.get(gene_strand) ?? '.',
    exons: exons.toSorted((one, other) => one.start - other.start),
  }
}
