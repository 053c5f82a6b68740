import { activeCohort, onPage } from '../../address/address.ts'
import { usePlace } from '../../address/context.ts'
import { Link } from '../../parts/link.tsx'
import { CasesTable } from '../../records/cases-table.tsx'
import { RECORD_SETS, type RecordSet } from '../../records/record-sets.ts'
import { RecordsTable } from '../../records/records-table.tsx'

const SETS: readonly (readonly [name: string, of: RecordSet])[] = Object.entries(RECORD_SETS)

const EMPTY = 'The cohort has none. Remove a condition from it.'

/** Page with one table of all records of a kind that belong to the cohort. */
export function TablesPage() {
  const { address } = usePlace()
  const { filter } = activeCohort(address)
  const found = SETS.find(([name]) => name === address.query.get('of')) ?? SETS[0]
  if (!found) return null
  const [shown, of] = found
  return (
    <>
      <ul class="tabs" aria-label="Kinds of records">
        {SETS.map(([name, { title }]) => (
          <li key={name}>
            <Link to={onPage(address, 'tables', { of: name })} current={name === shown}>
              {title}
            </Link>
          </li>
        ))}
      </ul>
      {of === RECORD_SETS.cases ? (
        <CasesTable empty={EMPTY} />
      ) : (
        <RecordsTable
          key={shown}
          of={of}
          {...(of.dataset === 'cases' ? { filter } : { caseFilter: filter })}
          empty={EMPTY}
        />
      )}
    </>
  )
}
