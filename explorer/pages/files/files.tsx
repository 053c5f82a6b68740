import { activeCohort, CART, cartOf } from '../../address/address.ts'
import { usePlace } from '../../address/context.ts'
import type { SearchAnswer } from '../../cohort/count.ts'
import { FacetCards } from '../../facets/facet-cards.tsx'
import { bothOf, type Filter, parseFilter, prefixed } from '../../filter/filter.ts'
import { Answered } from '../../parts/answered.tsx'
import type { Column } from '../../parts/table.tsx'
import { cellOf } from '../../records/cells.ts'
import { RECORD_SETS } from '../../records/record-sets.ts'
import { type RecordHit, RecordsTable } from '../../records/records-table.tsx'
import { useAnswer } from '../../service/use-answer.ts'
import { Cart } from './cart.tsx'

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
/** Page for the files of the cohort's cases, with a cart. */
export function FilesPage() {
  const { address, change } = usePlace()
  const { query } = address
  const cohort = prefixed(activeCohort(address).filter, 'cases')
  const filter = filterIn(query.get('files'))
  const both = bothOf(cohort, filter)
  const count = useAnswer<SearchAnswer>({ path: '/files', query: { size: 0 }, filters: both })
  const chosen = cartOf(query)
  const choose = (edit: (now: readonly string[]) => readonly string[]) =>
    change((now) => ({ [CART]: edit(cartOf(now)).join(',') }), { replaces: true })
  const toggle = (id: string) =>
    choose((now) => (now.includes(id) ? now.filter((one) => one !== id) : [...now, id]))
  const lead: Column<RecordHit> = {
    title: 'Chosen',
    value: ({ id }) => (chosen.includes(id) ? 'yes' : ''),
    show: (hit) => (
      <input
        type="checkbox"
        aria-label={`Choose ${cellOf(hit, 'file_name') ?? hit.id}`}
        checked={chosen.includes(hit.id)}
        onChange={() => toggle(hit.id)}
      />
    ),
  }
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
      <RecordsTable
        of={RECORD_SETS.files}
        filter={both}
        lead={lead}
        empty="No matching files. Remove a condition."
      />
      <Answered answer={count}>
        {({ data }) =>
          data.pagination.total > 0 || chosen.length > 0 ? (
            <Cart
              chosen={chosen}
              empty={() => choose(() => [])}
              filter={both}
              total={data.pagination.total}
            />
          ) : null
        }
      </Answered>
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
