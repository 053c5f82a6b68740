import { activeCohort, CART, cartOf } from '../../address/address.ts'
import { usePlace } from '../../address/context.ts'
import type { SearchAnswer } from '../../cohort/count.ts'
import { FacetCards } from '../../facets/facet-cards.tsx'
import { bothOf, type Filter, parseFilter, prefixed } from '../../filter/filter.ts'
import { Answered } from '../../parts/answered.tsx'
import { FoldedRequests } from '../../parts/figure.tsx'
import { EmptyNote } from '../../parts/notes.tsx'
import { PAGE_SIZE, PagedTable } from '../../parts/paged-table.tsx'
import { sizeText } from '../../parts/size.ts'
import type { Column } from '../../parts/table.tsx'
import type { ServiceRequest } from '../../service/service.ts'
import { useAnswer } from '../../service/use-answer.ts'
import { Cart } from './cart.tsx'
import type { FileHit } from './file-hit.ts'

const USUAL_FIELDS = [
  'data_category',
  'data_type',
  'experimental_strategy',
  'data_format',
  'access',
  'analysis.workflow_type',
  'platform',
  'file_size',
]
const FIELDS = [
  'file_name',
  'data_type',
  'data_format',
  'access',
  'file_size',
  'cases.submitter_id',
]

/** Page for the files of the cohort's cases, with a cart. */
export function FilesPage() {
  const { address, change } = usePlace()
  const { query } = address
  const cohort = prefixed(activeCohort(address).filter, 'cases')
  const filter = filterIn(query.get('files'))
  const from = Number.parseInt(query.get('from') ?? '0', 10) || 0
  const both = bothOf(cohort, filter)
  const request: ServiceRequest = {
    path: '/files',
    query: { fields: FIELDS.join(','), size: PAGE_SIZE, from, sort: 'file_name:asc' },
    filters: both,
  }
  const answer = useAnswer<SearchAnswer<FileHit>>(request)
  const chosen = cartOf(query)
  const choose = (edit: (now: readonly string[]) => readonly string[]) =>
    change((now) => ({ [CART]: edit(cartOf(now)).join(',') }), { replaces: true })
  const toggle = (id: string) =>
    choose((now) => (now.includes(id) ? now.filter((one) => one !== id) : [...now, id]))
  const columns: readonly Column<FileHit>[] = [
    {
      title: 'Chosen',
      value: ({ id }) => (chosen.includes(id) ? 'yes' : ''),
      show: ({ id, file_name }) => (
        <input
          type="checkbox"
          aria-label={`Choose ${file_name}`}
          checked={chosen.includes(id)}
          onChange={() => toggle(id)}
        />
      ),
    },
    ...COLUMNS,
  ]
  return (
    <>
      <FacetCards
        dataset="files"
        usual={USUAL_FIELDS}
        filter={filter}
        within={cohort}
        change={(edit) =>
          change((now) => {
            const next = edit(filterIn(now.get('files')))
            return { files: next && JSON.stringify(next), from: undefined }
          })
        }
      />
      <h2>Files</h2>
      <Answered answer={answer}>
        {({ data }) =>
          data.pagination.total === 0 ? (
            <EmptyNote>No matching files. Remove a condition.</EmptyNote>
          ) : (
            <>
              <PagedTable
                name="Files"
                columns={columns}
                rows={data.hits}
                from={from}
                total={data.pagination.total}
                open={(place) => change({ from: place })}
              />
              <Cart
                chosen={chosen}
                empty={() => choose(() => [])}
                filter={both}
                total={data.pagination.total}
              />
            </>
          )
        }
      </Answered>
      <FoldedRequests requests={[request]} />
    </>
  )
}

function filterIn(text: string | undefined): Filter | undefined {
  if (text === undefined) return undefined
  try {
    return parseFilter(text)
  } catch {
    return undefined
  }
}

const COLUMNS: readonly Column<FileHit>[] = [
  {
    title: 'File',
    value: ({ file_name }) => file_name,
    show: ({ file_name }) => <span class="anywhere">{file_name}</span>,
  },
  {
    title: 'Case',
    value: ({ cases = [] }) => cases.map((one) => one.submitter_id).join(', '),
    show: ({ cases = [] }) => (
      <span class="whole">
        {cases[0]?.submitter_id}
        {cases.length > 1 && ` and ${cases.length - 1} more`}
      </span>
    ),
  },
  { title: 'Data type', value: ({ data_type }) => data_type },
  { title: 'Format', value: ({ data_format }) => data_format },
  { title: 'Access', value: ({ access }) => access },
  {
    title: 'Size',
    value: ({ file_size }) => file_size,
    show: ({ file_size }) => sizeText(file_size),
  },
]
