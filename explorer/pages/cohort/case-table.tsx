import { withQuery } from '../../address/address.ts'
import { usePlace } from '../../address/context.ts'
import type { SearchAnswer } from '../../cohort/count.ts'
import { DAYS_PER_YEAR } from '../../cohort/words.ts'
import type { Filter } from '../../filter/filter.ts'
import { Answered } from '../../parts/answered.tsx'
import { FoldedRequests } from '../../parts/figure.tsx'
import { Link } from '../../parts/link.tsx'
import { EmptyNote } from '../../parts/notes.tsx'
import { PAGE_SIZE, PagedTable } from '../../parts/paged-table.tsx'
import type { Column } from '../../parts/table.tsx'
import type { ServiceRequest } from '../../service/service.ts'
import { useAnswer } from '../../service/use-answer.ts'
import { CaseView } from './case-view.tsx'

interface CaseHit {
  readonly id: string
  readonly submitter_id: string
  readonly primary_site?: string
  readonly disease_type?: string
  readonly project?: { readonly project_id?: string }
  readonly demographic?: { readonly gender?: string; readonly vital_status?: string }
  readonly diagnoses?: readonly { readonly age_at_diagnosis?: number }[]
}

const FIELDS = [
  'submitter_id',
  'project.project_id',
  'primary_site',
  'disease_type',
  'demographic.gender',
  'demographic.vital_status',
  'diagnoses.age_at_diagnosis',
]

/** Shows the cases of the cohort page by page, and the selected case in full. */
export function CaseTable({ filter }: { readonly filter: Filter | undefined }) {
  const { address, change } = usePlace()
  const from = Number.parseInt(address.query.get('from') ?? '0', 10) || 0
  const request: ServiceRequest = {
    path: '/cases',
    query: { fields: FIELDS.join(','), size: PAGE_SIZE, from, sort: 'submitter_id:asc' },
    filters: filter,
  }
  const answer = useAnswer<SearchAnswer<CaseHit>>(request)
  const opened = address.query.get('case')
  const columns: readonly Column<CaseHit>[] = [
    {
      title: 'Case',
      value: ({ submitter_id }) => submitter_id,
      show: ({ id, submitter_id }) => (
        <Link to={withQuery(address, { case: id })}>{submitter_id}</Link>
      ),
    },
    ...COLUMNS,
  ]
  return (
    <section>
      <h2>Cases</h2>
      <Answered answer={answer}>
        {({ data }) =>
          data.pagination.total === 0 ? (
            <EmptyNote>No matching cases. Remove a condition from the cohort.</EmptyNote>
          ) : (
            <PagedTable
              name="Cases"
              columns={columns}
              rows={data.hits}
              from={from}
              total={data.pagination.total}
              open={(place) => change({ from: place })}
            />
          )
        }
      </Answered>
      {opened !== undefined && <CaseView id={opened} close={() => change({ case: undefined })} />}
      <FoldedRequests requests={[request]} />
    </section>
  )
}

const COLUMNS: readonly Column<CaseHit>[] = [
  { title: 'Project', value: ({ project }) => project?.project_id },
  { title: 'Primary site', value: ({ primary_site }) => primary_site },
  { title: 'Disease type', value: ({ disease_type }) => disease_type },
  { title: 'Gender', value: ({ demographic }) => demographic?.gender },
  {
    title: 'Age at diagnosis (years)',
    value: ({ diagnoses }) => {
      const days = diagnoses?.[0]?.age_at_diagnosis
      return typeof days === 'number' ? Math.floor(days / DAYS_PER_YEAR) : undefined
    },
  },
  { title: 'Vital status', value: ({ demographic }) => demographic?.vital_status },
]
