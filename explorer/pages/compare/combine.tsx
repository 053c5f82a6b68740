import { useState } from 'preact/hooks'
import { withCohort } from '../../address/address.ts'
import { usePlace } from '../../address/context.ts'
import { combineFilters, type SetOperation, setFilter } from '../../cohort/sets.ts'
import type { Group } from '../../groups/group.ts'
import { EmptyNote, ErrorNote } from '../../parts/notes.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { useTask } from '../../parts/use-task.ts'
import { useService } from '../../service/context.ts'

interface Part {
  readonly within: string
  readonly outside: string
  readonly size: number
}

/** Maximum number of sets that the service combines at a time. */
const MAX_COMBINED = 6

const OPERATIONS: readonly (readonly [SetOperation, string, string])[] = [
  ['union', 'In any of them', ' or '],
  ['intersection', 'In all of them', ' and '],
  ['difference', 'In the first alone', ' without '],
]

/** Combines the groups into a set, which becomes a new cohort, and shows how many cases each overlap has. */
export function Combine({ groups }: { readonly groups: readonly Group[] }) {
  const { go } = usePlace()
  const service = useService()
  const [parts, setParts] = useState<readonly Part[]>()
  const { isBusy, error, run } = useTask()
  const combine = (operation: SetOperation, word: string) =>
    run(async () => {
      const filters = groups.map(({ filter }) => filter)
      const { ids, made } = await combineFilters(service, filters, operation)
      const namesOf = (some: readonly string[]) =>
        some.map((id) => groups[ids.indexOf(id)]?.name).join(', ')
      setParts(
        made.parts.map((part) => ({
          within: namesOf(part.in),
          outside: namesOf(part.not_in),
          size: part.size,
        })),
      )
      const name = groups.map((one) => one.name).join(word)
      go((now) => withCohort(now, { name, filter: setFilter(made) }))
    })
  if (groups.length > MAX_COMBINED) {
    return (
      <EmptyNote>
        Sets are made of at most {MAX_COMBINED} groups. There are {groups.length}.
      </EmptyNote>
    )
  }
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
