import { activeCohort, onPage, withCohort } from '../../address/address.ts'
import { usePlace } from '../../address/context.ts'
import { caseFilters } from '../../cohort/case-filters.ts'
import type { SearchAnswer } from '../../cohort/count.ts'
import { bothOf, type Filter } from '../../filter/filter.ts'
import { pageAt } from '../../frame/page-list.ts'
import type { Group } from '../../groups/group.ts'
import { Answered } from '../../parts/answered.tsx'
import { Link } from '../../parts/link.tsx'
import { EmptyNote } from '../../parts/notes.tsx'
import type { ServiceRequest } from '../../service/service.ts'
import { useAnswer, useAnswers } from '../../service/use-answer.ts'
import { canonical, type Gene, type GeneChanges, geneRequest, placeOf } from './gene-facts.ts'
import { CopyNumbers, ProjectShares } from './gene-figures.tsx'
import { MutationPlaces } from './mutation-places.tsx'
import { ProjectCopies } from './project-copies.tsx'
import { percent, shareOf } from './shares-chart.ts'

interface GeneViewProps {
  /** Symbol or id of the gene. */
  readonly named: string
  readonly groups: readonly Group[]
}

/** Shows a gene: where and how often it is changed in the cohort. */
export function GeneView({ named, groups }: GeneViewProps) {
  const found = useAnswer<SearchAnswer<Gene>>(geneRequest(named))
  return (
    <Answered answer={found}>
      {({ data }) => {
        const [gene] = data.hits
        return gene ? (
          <KnownGene gene={gene} groups={groups} />
        ) : (
          <EmptyNote>No gene in the release has the symbol or ID {named}. Try TP53.</EmptyNote>
        )
      }}
    </Answered>
  )
}

interface KnownGeneProps {
  readonly gene: Gene
  readonly groups: readonly Group[]
}

function KnownGene({ gene, groups }: KnownGeneProps) {
  const { address } = usePlace()
  const own = changesRequest(gene, activeCohort(address).filter)
  // Mutations along the protein are those of the active cohort.
  const cohort = useAnswer<GeneChanges>(own)
  const requests = groups.map(({ filter }) => changesRequest(gene, filter))
  const answer = useAnswers<GeneChanges>(requests)
  const name = gene.symbol ?? gene.gene_id
  return (
    <>
      <h2>
        {name}
        {gene.name ? `, ${gene.name}` : ''}
      </h2>
      <p class="soft">{factsOf(gene).join(' · ')}</p>
      <Answered answer={answer}>
        {(all) => {
          const changes = cohort.data
          if (!changes) return null
          return (
            <>
              {all.map((one, place) => (
                <p key={place} class="result">
                  {all.length > 1 && `${groups[place]?.name}: `}
                  {sentenceOf(one)}
                </p>
              ))}
              <GeneLinks gene={gene} changes={changes} />
              <MutationPlaces gene={gene} changes={changes} request={own} />
              <ProjectShares
                name={name}
                geneId={gene.gene_id}
                changes={all}
                groups={groups}
                requests={requests}
              />
              <CopyNumbers
                name={name}
                geneId={gene.gene_id}
                changes={all}
                groups={groups}
                requests={requests}
              />
              <ProjectCopies name={name} geneId={gene.gene_id} groups={groups} />
            </>
          )
        }}
      </Answered>
    </>
  )
}

const changesRequest = ({ gene_id }: Gene, filter: Filter | undefined): ServiceRequest => ({
  path: '/analysis/gene_changes',
  body: { case_filters: caseFilters(filter), gene_id, size: 10_000 },
})

const count = (value: number) => value.toLocaleString('en')

function sentenceOf({ ssm_cases, ssm_tested, cnv_cases, cnv_tested }: GeneChanges): string {
  const part = (cases: number, tested: number) =>
    `${count(cases)} of ${count(tested)} tested cases${tested === 0 ? '' : ` (${percent(shareOf({ cases, tested }))})`}`
  return `Mutated in ${part(ssm_cases, ssm_tested)}, copy number changed in ${part(cnv_cases, cnv_tested)}`
}

function factsOf(gene: Gene): readonly string[] {
  const place = placeOf(gene)
  const length = canonical(gene)?.length_amino_acid
  const strand = gene.gene_strand === -1 ? 'reverse strand' : 'forward strand'
  return [
    gene.gene_id,
    ...(gene.biotype ? [gene.biotype.replaceAll('_', ' ')] : []),
    ...(place ? [`${place}, ${strand}`] : []),
    ...(gene.cytoband?.length ? [gene.cytoband.join(', ')] : []),
    ...(length ? [`${count(length)} amino acids`] : []),
    ...(gene.is_cancer_gene_census ? ['in the cancer gene census'] : []),
  ]
}

/** Offers to create a cohort of the cases with a mutation in the gene. Links to other pages about the gene. */
function GeneLinks({ gene, changes }: { readonly gene: Gene; readonly changes: GeneChanges }) {
  const { address, go } = usePlace()
  const { symbol } = gene
  const active = activeCohort(address)
  const place = placeOf(gene)
  const field = 'ssms.consequence.transcript.gene.gene_id'
  const [named, value] = symbol
    ? ['ssms.consequence.transcript.gene.symbol', symbol]
    : [field, gene.gene_id]
  const name = symbol ?? gene.gene_id
  const mutated: Filter = { op: 'in', content: { field: named, value: [value] } }
  const tested: Filter = {
    op: 'in',
    content: { field: 'available_variation_data', value: ['ssm'] },
  }
  const others: Filter = { op: 'excludeifany', content: { field: named, value: [value] } }
  const having = { name: `${active.name}, ${name} mutated`, filter: bothOf(active.filter, mutated) }
  const lacking = {
    name: `${active.name}, ${name} not mutated`,
    filter: bothOf(active.filter, tested, others),
  }
  const both = (page: string, query: Readonly<Record<string, string>> = {}) => ({
    ...onPage(address, page, query),
    cohorts: [having, lacking],
    at: 0,
  })
  return (
    <div class="links">
      <button type="button" onClick={() => go((now) => withCohort(onPage(now, 'cohort'), having))}>
        Cohort of the {count(changes.ssm_cases)} mutated cases
      </button>
      <Link to={both('survival')}>Survival with and without</Link>
      {symbol && (
        <>
          <Link to={onPage(address, 'expression', { genes: symbol })}>Expression</Link>
          <Link to={both('differential', { with: '1' })}>Differentially expressed genes</Link>
          <Link to={onPage(address, 'coexpression', { gene: symbol })}>Co-expression</Link>
          <Link to={onPage(address, 'variables', { x: 'project.project_id', y: `ssm:${symbol}` })}>
            Against another variable
          </Link>
        </>
      )}
      {place && pageAt('reads') && (
        <Link to={onPage(address, 'reads', { place: symbol ?? place })}>Reads</Link>
      )}
    </div>
  )
}
