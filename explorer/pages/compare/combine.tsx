import { useState } from 'preact/hooks'
import { type Cohort, withCohort } from '../../address/address.ts'
import { usePlace } from '../../address/context.ts'
import { combineFilters, type SetOperation, setFilter } from '../../cohort/sets.ts'
import { ErrorNote } from '../../parts/notes.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { useTask } from '../../parts/use-task.ts'
import { useService } from '../../service/context.ts'

interface Part {
  readonly within: string
  readonly outside: string
  readonly size: number
}

const OPERATIONS: readonly (readonly [SetOperation, string, string])[] = [
  ['union', 'In any of them', ' or '],
  ['intersection', 'In all of them', ' and '],
  ['difference', 'In the first alone', ' without '],
]

/** Combines the cohorts into a set, which becomes a new cohort, and shows how many cases each overlap has. */
export function Combine({ cohorts }: { readonly cohorts: readonly Cohort[] }) {
  const { go } = usePlace()
  const service = useService()
  const [parts, setParts] = useState<readonly Part[]>()
  const { isBusy, error, run } = useTask()
  const combine = (operation: SetOperation, word: string) =>
    run(async () => {
      const filters = cohorts.map(({ filter }) => filter)
      const { ids, made } = await combineFilters(service, filters, operation)
      const namesOf = (some: readonly string[]) =>
        some.map((id) => cohorts[ids.indexOf(id)]?.name).join(', ')
      setParts(
        made.parts.map((part) => ({
          within: namesOf(part.in),
          outside: namesOf(part.not_in),
          size: part.size,
        })),
      )
      const name = cohorts.map((one) => one.name).join(word)
      go((now) => withCohort(now, { name, filter: setFilter(made) }))
    })
  return (
    <section>
      <h2>Make a set of them</h2>
      <p class="actions">
        {OPERATIONS.map(([operation, label, word]) => (
          <button
            key={operation}
            type="button"
            disabled={isBusy}
            onClick={() => combine(operation, word)}
          >
            {label}
          </button>
        ))}
      </p>
      {error !== '' && <ErrorNote text={error} />}
      {parts && (
        <Table caption="Cases of each part" columns={COLUMNS} rows={parts} fileName="parts.tsv" />
      )}
    </section>
  )
}

const COLUMNS: readonly Column<Part>[] = [
  { title: 'In', value: ({ within }) => within },
  { title: 'Not in', value: ({ outside }) => outside },
  { title: 'Cases', value: ({ size }) => size },
]
