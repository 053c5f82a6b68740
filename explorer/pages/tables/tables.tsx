import { activeCohort, onPage } from '../../address/address.ts'
import { usePlace } from '../../address/context.ts'
import { Link } from '../../parts/link.tsx'
import { RECORD_SETS } from '../../records/record-sets.ts'
import { RecordsTable } from '../../records/records-table.tsx'

const SETS = Object.values(RECORD_SETS)

/** Page with one table of all records of a kind that belong to the cohort. */
export function TablesPage() {
  const { address } = usePlace()
  const { filter } = activeCohort(address)
  const of = SETS.find(({ dataset }) => dataset === address.query.get('of')) ?? SETS[0]
  if (!of) return null
  return (
    <>
      <ul class="tabs" aria-label="Kinds of records">
        {SETS.map(({ dataset, title }) => (
          <li key={dataset}>
            <Link to={onPage(address, 'tables', { of: dataset })} current={dataset === of.dataset}>
              {title}
            </Link>
          </li>
        ))}
      </ul>
      <RecordsTable
        key={of.dataset}
        of={of}
        {...(of.dataset === 'cases' ? { filter } : { caseFilter: filter })}
        empty="The cohort has none. Remove a condition from it."
      />
    </>
  )
}
