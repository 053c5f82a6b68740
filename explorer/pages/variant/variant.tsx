import { activeCohort, onPage, withCohort } from '../../address/address.ts'
import { usePlace } from '../../address/context.ts'
import { CaseCounts } from '../../cohort/case-counts.tsx'
import type { Aggregation, SearchAnswer } from '../../cohort/count.ts'
import { bothOf, type Filter } from '../../filter/filter.ts'
import { Answered } from '../../parts/answered.tsx'
import { counted } from '../../parts/counted.ts'
import { Facts } from '../../parts/facts.tsx'
import { Link } from '../../parts/link.tsx'
import { EmptyNote } from '../../parts/notes.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { cellOf } from '../../records/cells.ts'
import { RECORD_SETS } from '../../records/record-sets.ts'
import { RecordsTable } from '../../records/records-table.tsx'
import type { ServiceRequest } from '../../service/service.ts'
import { useAnswer } from '../../service/use-answer.ts'

/** A simple mutation in a search response. */
interface Variant {
  readonly id: string
  readonly genomic_dna_change?: string
  readonly gene_aa_change?: readonly string[]
  readonly consequence?: readonly { readonly transcript?: Effect }[]
}

/** Effect of the mutation on a transcript. */
interface Effect {
  readonly transcript_id?: string
  readonly is_canonical?: boolean
  readonly aa_change?: string | null
  readonly consequence_type?: string
  readonly annotation?: { readonly vep_impact?: string | null; readonly hgvsc?: string | null }
  readonly gene?: { readonly gene_id?: string; readonly symbol?: string }
}

const GROUPS = [
  'consequence.transcript',
  'consequence.transcript.gene',
  'consequence.transcript.annotation',
]
const NAMES = ['ssm_id', 'genomic_dna_change']
const PROJECT = 'project.project_id'

/** Page for one simple mutation, by its id or DNA change: its effects, and the cases that have it. */
export function VariantPage() {
  const { address } = usePlace()
  const id = (address.query.get('id') ?? '').trim()
  const request: ServiceRequest = {
    path: '/ssms',
    query: { expand: GROUPS.join(','), size: 1 },
    filters: {
      op: 'or',
      content: NAMES.map((field): Filter => ({ op: 'in', content: { field, value: [id] } })),
    },
  }
  const answer = useAnswer<SearchAnswer<Variant>>(id === '' ? undefined : request)
  if (id === '') return <EmptyNote>Open a variant from a table, or search for it above.</EmptyNote>
  return (
    <Answered answer={answer}>
      {({ data: { hits } }) =>
        hits[0] ? (
          <KnownVariant variant={hits[0]} />
        ) : (
          <EmptyNote>No simple mutation in the release has the id or DNA change {id}.</EmptyNote>
        )
      }
    </Answered>
  )
}

function KnownVariant({ variant }: { readonly variant: Variant }) {
  const { address, go } = usePlace()
  const name = variant.genomic_dna_change ?? variant.id
  const own: Filter = { op: 'in', content: { field: 'ssms.ssm_id', value: [variant.id] } }
  const active = activeCohort(address)
  const filter = bothOf(active.filter, own)
  const effects = (variant.consequence ?? []).flatMap(({ transcript }) => transcript ?? [])
  const columns: readonly Column<Effect>[] = [
    {
      title: 'Gene',
      value: ({ gene }) => gene?.symbol ?? gene?.gene_id,
      show: ({ gene }) =>
        gene?.gene_id && (
          <Link to={onPage(address, 'genes', { gene: gene.gene_id })}>
            {gene.symbol ?? gene.gene_id}
          </Link>
        ),
    },
    ...EFFECTS,
  ]
  const having = { name: `${active.name} with ${name}`, filter }
  return (
    <>
      <h2 class="anywhere">
        {name}
        {variant.gene_aa_change?.length ? `, ${variant.gene_aa_change.join(', ')}` : ''}
      </h2>
      <Facts
        facts={[
          ['Kind', cellOf(variant, 'mutation_subtype')],
          ['Chromosome', cellOf(variant, 'chromosome')],
          ['Position', positionOf(variant)],
          ['Reference', <span class="anywhere">{cellOf(variant, 'reference_allele')}</span>],
          ['Tumour', <span class="anywhere">{cellOf(variant, 'tumor_allele')}</span>],
          ['Build', cellOf(variant, 'agency_build')],
          ['Mutation id', <span class="anywhere">{variant.id}</span>],
        ]}
      />
      <p class="links">
        <button
          type="button"
          onClick={() => go((now) => withCohort(onPage(now, 'cohort'), having))}
        >
          Cohort of the cases with it
        </button>
      </p>
      <Table
        caption="Effects on transcripts"
        columns={columns}
        rows={effects}
        fileName={`${variant.id}-effects.tsv`}
      />
      <Projects name={name} filter={filter} />
      <h2>Cases with it in {active.name}</h2>
      <RecordsTable
        of={RECORD_SETS.cases}
        filter={filter}
        empty="No case of the cohort has this mutation."
      />
    </>
  )
}

function Projects({
  name,
  filter,
}: {
  readonly name: string
  readonly filter: Filter | undefined
}) {
  const { address } = usePlace()
  const request: ServiceRequest = {
    path: '/cases',
    query: { size: 0, facets: PROJECT },
    filters: filter,
  }
  const answer = useAnswer<SearchAnswer>(request)
  return (
    <Answered answer={answer}>
      {({ data }) => {
        const rows = bucketsOf(data.aggregations?.[PROJECT])
        if (rows.length === 0) return null
        return (
          <CaseCounts
            title={`Cases with ${name} by project`}
            method={`Counts of the ${counted(data.pagination.total, 'case')} of ${activeCohort(address).name} with the mutation.`}
            by="Project"
            request={request}
            counts={rows}
            cohortOf={(key) => ({
              name: `${key} with ${name}`,
              filter: bothOf(filter, inProject(key)),
            })}
            fileName="variant-by-project"
          />
        )
      }}
    </Answered>
  )
}

const inProject = (id: string): Filter => ({ op: 'in', content: { field: PROJECT, value: [id] } })

const bucketsOf = (aggregation: Aggregation | undefined) =>
  (aggregation?.buckets ?? []).filter(({ key }) => key !== '_missing')

function positionOf(variant: Variant): string {
  const [start, end] = ['start_position', 'end_position'].map((field) => cellOf(variant, field))
  const text = (value: string | number | undefined) =>
    typeof value === 'number' ? value.toLocaleString('en') : (value ?? '')
  return start === end ? text(start) : `${text(start)} to ${text(end)}`
}

const EFFECTS: readonly Column<Effect>[] = [
  { title: 'Amino acid change', value: ({ aa_change }) => aa_change ?? undefined },
  {
    title: 'Consequence',
    value: ({ consequence_type }) => consequence_type?.replaceAll('_', ' '),
  },
  { title: 'Impact', value: ({ annotation }) => annotation?.vep_impact ?? undefined },
  { title: 'Coding change', value: ({ annotation }) => annotation?.hgvsc ?? undefined },
  { title: 'Transcript', value: ({ transcript_id }) => transcript_id },
  { title: 'Canonical', value: ({ is_canonical }) => (is_canonical ? 'yes' : '') },
]
