import { useMemo } from 'preact/hooks'
import { activeCohort, formatAddress, onPage, toCohort } from '../../address/address.ts'
import { usePlace } from '../../address/context.ts'
import type { SearchAnswer } from '../../cohort/count.ts'
import { bothOf, type Filter } from '../../filter/filter.ts'
import { Answered } from '../../parts/answered.tsx'
import { Figure } from '../../parts/figure.tsx'
import { Link } from '../../parts/link.tsx'
import { EmptyNote } from '../../parts/notes.tsx'
import type { Column } from '../../parts/table.tsx'
import type { ServiceRequest } from '../../service/service.ts'
import { useAnswer } from '../../service/use-answer.ts'
import { consequenceName } from './change-classes.ts'
import {
  canonical,
  type Extent,
  type Gene,
  type GeneChanges,
  type Mutation,
  mutationsOf,
  mutationsRequest,
  type SsmHit,
} from './gene-facts.ts'
import { placesChart } from './places-chart.ts'

interface MutationPlacesProps {
  readonly gene: Gene
  readonly changes: GeneChanges
  readonly request: ServiceRequest
}

/** Shows the positions of the gene's mutations, along the protein or the gene. */
export function MutationPlaces({ gene, changes, request }: MutationPlacesProps) {
  const own = mutationsRequest(gene.gene_id)
  const answer = useAnswer<SearchAnswer<SsmHit>>(changes.mutations_total > 0 ? own : undefined)
  if (changes.mutations_total === 0) {
    return <EmptyNote>No case in the cohort has a mutation in this gene.</EmptyNote>
  }
  return (
    <Answered answer={answer}>
      {({ data }) => (
        <Places gene={gene} changes={changes} hits={data.hits} requests={[request, own]} />
      )}
    </Answered>
  )
}

interface PlacesProps {
  readonly gene: Gene
  readonly changes: GeneChanges
  readonly hits: readonly SsmHit[]
  readonly requests: readonly ServiceRequest[]
}

function Places({ gene, changes, hits, requests }: PlacesProps) {
  const { address, change } = usePlace()
  const name = gene.symbol ?? gene.gene_id
  const mutations = useMemo(
    () => mutationsOf(changes, hits, gene.gene_id),
    [changes, hits, gene.gene_id],
  )
  const hasProtein = mutations.some(({ residue }) => residue !== undefined)
  const along = hasProtein && address.query.get('along') !== 'gene' ? 'protein' : 'gene'
  const doors: Doors = {
    variant: (id) => formatAddress(onPage(address, 'variant', { id })),
    part: (part) => {
      const filter = bothOf(activeCohort(address).filter, partFilter(gene.gene_id, along, part))
      return formatAddress(
        toCohort(address, 'cohort', { name: `${name} mutated, ${part.name}`, filter }),
      )
    },
  }
  const drawn = useMemo(
    () => chartOf(gene, mutations, along, doors),
    [gene, mutations, along, formatAddress(address)],
  )
  const count = (value: number) => value.toLocaleString('en')
  const named = drawn.parts.map(({ name, start, end }) => `${name} (${start} to ${end})`)
  const parts =
    along === 'protein'
      ? `Boxes are domains of the canonical transcript’s protein: ${named.join(', ')}. A box opens the cases mutated in it.`
      : 'Boxes are exons of the canonical transcript. A box opens the cases mutated in it.'
  return (
    <Figure
      title={`Mutations along the ${along}`}
      method={`Each stem is a mutation, as high as the number of cases of the cohort that have it: ${count(drawn.placed.length)} of ${count(changes.mutations_total)} mutations have a place ${along === 'protein' ? 'in the protein' : 'in the gene'}, in ${count(changes.ssm_cases)} cases of ${count(changes.ssm_tested)} tested ones. ${drawn.parts.length > 0 ? parts : ''}`}
      requests={requests}
      columns={COLUMNS}
      rows={mutations}
      fileName={`mutations-${name}`}
      drawnOf={drawn}
      draw={(width) => placesChart({ width, ...drawn })}
    >
      {hasProtein && (
        <form class="controls">
          <label>
            Places along
            <select
              value={along}
              onChange={(event) => change({ along: event.currentTarget.value })}
            >
              <option value="protein">the protein</option>
              <option value="gene">the gene</option>
            </select>
          </label>
        </form>
      )}
    </Figure>
  )
}

/** Addresses that the parts of the picture lead to. */
interface Doors {
  readonly variant: (id: string) => string
  readonly part: (part: Extent & { readonly name: string }) => string
}

/** Returns the filter of the cases with a mutation of a gene in a part of its canonical protein, or of the gene. */
function partFilter(geneId: string, along: 'protein' | 'gene', { start, end }: Extent): Filter {
  const transcript = 'ssms.consequence.transcript'
  const [from, to] =
    along === 'protein'
      ? [`${transcript}.aa_start`, `${transcript}.aa_start`]
      : ['ssms.end_position', 'ssms.start_position']
  const isCanonical = { field: `${transcript}.is_canonical`, value: ['true'] }
  // One group: all hold for the same consequence of the same mutation.
  return {
    op: 'or',
    content: [
      {
        op: 'and',
        content: [
          { op: 'in', content: { field: `${transcript}.gene.gene_id`, value: [geneId] } },
          ...(along === 'protein' ? [{ op: 'in', content: isCanonical }] : []),
          { op: '>=', content: { field: from, value: start } },
          { op: '<=', content: { field: to, value: end } },
        ],
      },
    ],
  }
}

/** Returns the positions, and the parts of the protein or gene. */
function chartOf(
  gene: Gene,
  mutations: readonly Mutation[],
  along: 'protein' | 'gene',
  doors: Doors,
) {
  const isProtein = along === 'protein'
  const placed = mutations.flatMap(({ id, name, cases, drawnAs, residue, position }) => {
    const at = isProtein ? residue : position
    return at === undefined ? [] : [{ name, cases, drawnAs, at, href: doors.variant(id) }]
  })
  const transcript = canonical(gene)
  const domains = (transcript?.domains ?? []).map(({ start, end, description, hit_name }) => ({
    start,
    end,
    name: description ?? hit_name ?? '',
  }))
  const exons = (transcript?.exons ?? []).map(({ start, end }, place) => ({
    start,
    end,
    name: `exon ${place + 1}`,
  }))
  const parts = (isProtein ? domains : exons).map((part) => ({ ...part, href: doors.part(part) }))
  const last = Math.max(...placed.map(({ at }) => at), ...parts.map(({ end }) => end))
  const first = Math.min(...placed.map(({ at }) => at), ...parts.map(({ start }) => start))
  return {
    placed,
    parts,
    label: isProtein ? 'Amino acid' : `Position on chromosome ${gene.gene_chromosome ?? ''}`,
    from: isProtein ? 1 : Math.min(first, gene.gene_start ?? first),
    to: isProtein
      ? Math.max(last, transcript?.length_amino_acid ?? last)
      : Math.max(last, gene.gene_end ?? last),
  }
}

const COLUMNS: readonly Column<Mutation>[] = [
  {
    title: 'Change',
    value: ({ name }) => name,
    show: ({ id, name }) => <VariantLink id={id} name={name} />,
  },
  { title: 'Of the DNA', value: ({ dnaChange }) => dnaChange },
  {
    title: 'Consequence',
    value: ({ consequence }) => consequence && consequenceName(consequence),
  },
  { title: 'Amino acid', value: ({ residue }) => residue },
  { title: 'Position', value: ({ position }) => position },
  { title: 'Cases', value: ({ cases }) => cases },
  { title: 'Mutation id', value: ({ id }) => id },
]

function VariantLink({ id, name }: { readonly id: string; readonly name: string }) {
  const { address } = usePlace()
  return <Link to={onPage(address, 'variant', { id })}>{name}</Link>
}
