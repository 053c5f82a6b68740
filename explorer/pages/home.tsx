import { type Cohort, onPage, withFilter } from '../address/address.ts'
import { usePlace } from '../address/context.ts'
import { CaseCounts } from '../cohort/case-counts.tsx'
import type { SearchAnswer } from '../cohort/count.ts'
import { hasLogin } from '../frame/has-login.ts'
import { menuOf } from '../frame/page-list.ts'
import { Answered } from '../parts/answered.tsx'
import { Link } from '../parts/link.tsx'
import { useAnswer } from '../service/use-answer.ts'

interface Status {
  readonly data_release?: string
  readonly data_release_version?: { readonly release_date?: string }
  readonly tag: string
}

interface Counted {
  readonly hits: { readonly total: number }
}

/** The members of the GraphQL response that the page reads. */
interface Viewed {
  readonly projects: Counted
  readonly annotations: Counted
  readonly repository: { readonly files: Counted }
  readonly explore: Readonly<Record<'cases' | 'genes' | 'ssms' | 'cnvs', Counted>>
}

const DATASETS: readonly (readonly [title: string, of: (viewed: Viewed) => Counted])[] = [
  ['Projects', ({ projects }) => projects],
  ['Cases', ({ explore }) => explore.cases],
  ['Files', ({ repository }) => repository.files],
  ['Genes', ({ explore }) => explore.genes],
  ['Simple mutations', ({ explore }) => explore.ssms],
  ['Copy-number changes', ({ explore }) => explore.cnvs],
  ['Annotations', ({ annotations }) => annotations],
]

const TOTAL = '{ hits(first: 0) { total } }'
/** Counts all datasets in one request, so that the first page needs few. */
const COUNTS = {
  path: '/graphql',
  body: {
    query: `{ viewer { projects ${TOTAL} annotations ${TOTAL} repository { files ${TOTAL} } explore { cases ${TOTAL} genes ${TOTAL} ssms ${TOTAL} cnvs ${TOTAL} } } }`,
  },
}

const SITES = { path: '/cases', query: { size: 0, facets: 'primary_site' } }

/** Page with the contents of the release, and where to start. */
export function HomePage() {
  const { address } = usePlace()
  const status = useAnswer<Status>({ path: '/status' })
  const counts = useAnswer<{ readonly data: { readonly viewer: Viewed } }>(COUNTS)
  const sites = useAnswer<SearchAnswer>(SITES)
  return (
    <>
      <Answered answer={status}>
        {({ data_release, data_release_version, tag }) => (
          <p class="lead">
            {data_release === undefined
              ? 'No release is served yet.'
              : `${data_release} of ${data_release_version?.release_date ?? 'no date'}.`}{' '}
            <span class="soft">casemill {tag}</span>
          </p>
        )}
      </Answered>
      <Answered answer={counts}>
        {({ data }) => (
          <dl class="numbers">
            {DATASETS.map(([title, of]) => (
              <div key={title}>
                <dt>{title}</dt>
                <dd>{of(data.viewer).hits.total.toLocaleString('en')}</dd>
              </div>
            ))}
          </dl>
        )}
      </Answered>
      <h2>Begin</h2>
      <ul class="cards">
        {menuOf(hasLogin())
          .filter(({ path }) => path !== '')
          .map(({ path, title, purpose }) => (
            <li key={path}>
              <Link to={onPage(address, path)}>{title}</Link>
              <p class="soft">{purpose}</p>
            </li>
          ))}
      </ul>
      <Answered answer={sites}>
        {({ data }) => {
          const rows = data.aggregations?.primary_site?.buckets ?? []
          const total = data.pagination.total.toLocaleString('en')
          return (
            <CaseCounts
              title="Cases by primary site"
              method={`Counts of all ${total} cases of the release.`}
              by="Primary site"
              request={SITES}
              counts={rows}
              cohortOf={siteCohort}
              fileName="cases-by-primary-site"
            >
              <p>
                <Link to={onPage(withFilter(address, undefined), 'cohort')}>Select cases</Link>
              </p>
            </CaseCounts>
          )
        }}
      </Answered>
    </>
  )
}

const siteCohort = (site: string): Cohort => ({
  name: site,
  filter: { op: 'in', content: { field: 'primary_site', value: [site] } },
})
