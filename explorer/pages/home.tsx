import { type Cohort, onPage, withFilter } from '../address/address.ts'
import { usePlace } from '../address/context.ts'
import { CaseCounts } from '../cohort/case-counts.tsx'
import type { Bucket, SearchAnswer } from '../cohort/count.ts'
import { type PagePath, pageAt } from '../frame/page-list.ts'
import { Answered } from '../parts/answered.tsx'
import { counted } from '../parts/counted.ts'
import { Link } from '../parts/link.tsx'
import { sizeText } from '../parts/size.ts'
import { type Column, Table } from '../parts/table.tsx'
import { useAnswer } from '../service/use-answer.ts'

interface Status {
  readonly data_release?: string
  readonly data_release_version?: { readonly release_date?: string }
  readonly tag: string
}

interface Counted {
  readonly hits: { readonly total: number }
}

interface Buckets {
  readonly buckets: readonly Bucket[]
}

interface FilesViewed extends Counted {
  readonly aggregations: {
    readonly data_type: Buckets
    readonly access: Buckets
    readonly file_size: { readonly stats: { readonly sum: number | null } | null }
  }
}

/** The members of the GraphQL response that the page reads. */
interface Viewed {
  readonly projects: Counted
  readonly annotations: Counted
  readonly repository: { readonly files: FilesViewed }
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
const BUCKETS = '{ buckets { key doc_count } }'
const FILES = `{ hits(first: 0) { total } aggregations { data_type ${BUCKETS} access ${BUCKETS} file_size { stats { sum } } } }`
/** Counts all datasets in one request, so that the first page needs few. */
const COUNTS = {
  path: '/graphql',
  body: {
    query: `{ viewer { projects ${TOTAL} annotations ${TOTAL} repository { files ${FILES} } explore { cases ${TOTAL} genes ${TOTAL} ssms ${TOTAL} cnvs ${TOTAL} } } }`,
  },
}

const SITES = { path: '/cases', query: { size: 0, facets: 'primary_site' } }

/** Pages whose questions are offered to start with. The menu has all pages. */
const QUESTIONS: readonly PagePath[] = ['genes', 'survival', 'compare']

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
      <ul class="chips" aria-label="Questions to start with">
        <li>
          <Link to={onPage(address, 'cohort')}>Which cases are there?</Link>
        </li>
        {QUESTIONS.map((path) => (
          <li key={path}>
            <Link to={onPage(address, path)}>{pageAt(path)?.question}</Link>
          </li>
        ))}
      </ul>
      <Answered answer={sites}>
        {({ data }) => {
          const rows = data.aggregations?.primary_site?.buckets ?? []
          const total = counted(data.pagination.total, 'case')
          return (
            <CaseCounts
              title="Where are the tumours?"
              method={`Cases by primary site, of all ${total} of the release. A bar opens its cases.`}
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
      <Answered answer={counts}>
        {({ data }) => <FilesOfRelease {...data.viewer.repository.files} />}
      </Answered>
    </>
  )
}

/** Shows what the files of the release are: size, access, types of data. */
function FilesOfRelease({ hits, aggregations }: FilesViewed) {
  const { address } = usePlace()
  const types = aggregations.data_type.buckets
  const size = aggregations.file_size.stats?.sum ?? 0
  const shares = aggregations.access.buckets.map(
    ({ key, doc_count }) => `${doc_count.toLocaleString('en')} ${key}`,
  )
  return (
    <section>
      <h2>Which data are there?</h2>
      <p>
        {counted(hits.total, 'file')}
        {size > 0 && ` of ${sizeText(size)}`}
        {shares.length > 0 && `: ${shares.join(', ')}`}.{' '}
        <Link to={onPage(withFilter(address, undefined), 'files')}>See the files</Link>
      </p>
      {types.length > 0 && <Table caption="Files by data type" columns={TYPES} rows={types} />}
    </section>
  )
}

const TYPES: readonly Column<Bucket>[] = [
  { title: 'Data type', value: ({ key }) => key },
  { title: 'Files', value: ({ doc_count }) => doc_count },
]

const siteCohort = (site: string): Cohort => ({
  name: site,
  filter: { op: 'in', content: { field: 'primary_site', value: [site] } },
})
