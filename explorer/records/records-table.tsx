import { onPage, type Query } from '../address/address.ts'
import { usePlace } from '../address/context.ts'
import type { SearchAnswer } from '../cohort/count.ts'
import type { Filter } from '../filter/filter.ts'
import { prefixed } from '../filter/filter.ts'
import { Answered } from '../parts/answered.tsx'
import { FoldedRequests } from '../parts/figure.tsx'
import { Link } from '../parts/link.tsx'
import { EmptyNote } from '../parts/notes.tsx'
import { PagedTable } from '../parts/paged-table.tsx'
import type { Column, Sorting } from '../parts/table.tsx'
import type { ServiceRequest } from '../service/service.ts'
import { useAnswer } from '../service/use-answer.ts'
import { cellOf, shownNumber, titleOf, valuesAt } from './cells.ts'
import { ColumnChooser } from './column-chooser.tsx'
import type { RecordSet } from './record-sets.ts'
import { SaveClinical, SaveRecords } from './save-records.tsx'

export interface RecordHit {
  readonly id: string
}

interface RecordsTableProps {
  readonly of: RecordSet
  /** Filter of the records. */
  readonly filter?: Filter | undefined
  /** Filter of cases. Only records of these cases are shown. */
  readonly caseFilter?: Filter | undefined
  /** Prefix of the table's parameters in the URL, for pages with several tables. */
  readonly prefix?: string
  /** Column in front of the fields. */
  readonly lead?: Column<RecordHit>
  readonly empty: string
}

/** Rows per page that are offered. */
const SIZES = [20, 50, 100, 500]
const FIRST_SIZE = 20

/** Names of more characters may be broken anywhere. */
const LONG = 30

/** State of a table in the URL. */
interface View {
  readonly from: number
  readonly size: number
  readonly fields: readonly string[]
  readonly sorting: Sorting
}

/**
 * Shows records page by page. Users choose and sort columns, and save all records. The URL has the state of the table.
 */
export function RecordsTable(props: RecordsTableProps) {
  const { of, filter, caseFilter, prefix = '', lead, empty } = props
  const { address, change } = usePlace()
  const view = viewOf(address.query, prefix, of)
  const { from, size, fields, sorting } = view
  const sort = sortText(sorting)
  const filters = { filter, caseFilter: prefixed(caseFilter, 'cases') }
  const asked = { fields: askedFields(of, fields), sort, ...filters }
  const request = requestOf(of.dataset, { ...asked, size, from })
  const answer = useAnswer<SearchAnswer<RecordHit>>(request)
  const set = (changes: Readonly<Record<string, string | undefined>>) =>
    change(
      Object.fromEntries(
        Object.entries(changes).map(([name, value]) => [`${prefix}${name}`, value]),
      ),
    )
  const columns = [...(lead ? [lead] : []), ...fields.map((field) => columnOf(of, field, fields))]
  return (
    <>
      <Answered answer={answer}>
        {({ data: { hits, pagination } }) =>
          pagination.total === 0 ? (
            <EmptyNote>{empty}</EmptyNote>
          ) : (
            <>
              <PagedTable
                name={of.title}
                columns={columns}
                rows={of.nested === undefined ? hits : elementsOf(hits, of.nested)}
                from={from}
                count={hits.length}
                size={size}
                total={pagination.total}
                open={(place) => set({ from: place })}
                sorting={sorting}
                sort={(next) => set({ sort: sortText(next), from: undefined })}
                sizes={SIZES}
                resize={(next) => set({ rows: String(next), from: undefined })}
              />
              <SaveRecords
                dataset={of.dataset}
                {...{ fields, sort, ...filters }}
                total={pagination.total}
              />
              {of.nested !== undefined && <SaveClinical filter={filters.caseFilter ?? filter} />}
            </>
          )
        }
      </Answered>
      <ColumnChooser
        dataset={of.dataset}
        chosen={fields}
        choose={(next) => set({ columns: next?.join(',') })}
      />
      <FoldedRequests
        title="Request of all"
        requests={[
          requestOf(of.dataset, { ...asked, size: answer.data?.data.pagination.total ?? size }),
        ]}
      />
    </>
  )
}

/** Returns a record for each element of a list, with this element alone. */
const elementsOf = (hits: readonly RecordHit[], list: string): readonly RecordHit[] =>
  hits.flatMap((hit) => {
    const elements: unknown = Reflect.get(hit, list)
    return Array.isArray(elements)
      ? elements.map((one: unknown) => ({ ...hit, [list]: [one] }))
      : []
  })

/** Reads the state of a table. What the URL does not have is as usual. */
function viewOf(query: Query, prefix: string, { usual, sort }: RecordSet): View {
  const number = (name: string) =>
    Math.max(0, Number.parseInt(query.get(`${prefix}${name}`) ?? '', 10) || 0)
  const fields = query.get(`${prefix}columns`)?.split(',').filter(Boolean) ?? []
  const [field = '', way] = (query.get(`${prefix}sort`) ?? sort).split(':')
  return {
    from: number('from'),
    size: Math.min(number('rows') || FIRST_SIZE, Math.max(...SIZES)),
    fields: fields.length > 0 ? fields : usual,
    sorting: { by: field, isDescending: way === 'desc' },
  }
}

const sortText = ({ by, isDescending }: Sorting) => `${by}:${isDescending ? 'desc' : 'asc'}`

/** Returns the fields of the columns, and those with the ids to which they lead. */
function askedFields({ doors }: RecordSet, fields: readonly string[]): readonly string[] {
  const ids = doors.flatMap(({ field, idField }) => (fields.includes(field) ? [idField] : []))
  return [...new Set([...fields, ...ids])]
}

interface Asked {
  readonly fields: readonly string[]
  readonly sort: string
  readonly filter: Filter | undefined
  readonly caseFilter: Filter | undefined
  readonly size: number
  readonly from?: number
}

function requestOf(dataset: string, asked: Asked): ServiceRequest {
  const { fields, sort, filter, caseFilter, size, from } = asked
  return {
    path: `/${dataset}`,
    query: {
      fields: fields.join(','),
      size,
      ...(from !== undefined && from > 0 && { from }),
      sort,
      ...(caseFilter && { case_filters: JSON.stringify(caseFilter) }),
    },
    filters: filter,
  }
}

function columnOf(
  { doors, titles }: RecordSet,
  field: string,
  fields: readonly string[],
): Column<RecordHit> {
  const door = doors.find((one) => one.field === field)
  const value = (hit: RecordHit) => cellOf(hit, field)
  return {
    title: titles[field] ?? titleOf(field, fields),
    sortBy: field,
    value,
    show: (hit) => {
      const shown = value(hit)
      const text = typeof shown === 'number' ? shownNumber(field, shown) : shown
      const ids = door ? [...new Set(valuesAt(hit, door.idField))] : []
      if (!door || ids.length !== 1 || text === undefined) return text
      return (
        <DoorLink page={door.page} parameter={door.parameter} id={String(ids[0])} text={text} />
      )
    },
  }
}

interface DoorLinkProps {
  readonly page: string
  readonly parameter: string
  readonly id: string
  readonly text: string
}

function DoorLink({ page, parameter, id, text }: DoorLinkProps) {
  const { address } = usePlace()
  const isLong = text.length > LONG
  return (
    <Link to={onPage(address, page, { [parameter]: id })} class={isLong ? 'long' : undefined}>
      {text}
    </Link>
  )
}
