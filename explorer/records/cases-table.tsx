import { useState } from 'preact/hooks'
import { activeCohort, withCohort, withFilter } from '../address/address.ts'
import { usePlace } from '../address/context.ts'
import { makeSet, setFilter } from '../cohort/sets.ts'
import { bothOf } from '../filter/filter.ts'
import { notIn } from '../groups/asked.ts'
import { counted } from '../parts/counted.ts'
import { ErrorNote } from '../parts/notes.tsx'
import type { Column } from '../parts/table.tsx'
import { useTask } from '../parts/use-task.ts'
import { useService } from '../service/context.ts'
import { cellOf } from './cells.ts'
import { RECORD_SETS } from './record-sets.ts'
import { type RecordHit, RecordsTable } from './records-table.tsx'

/** Table of the cases of the active cohort. Those that are checked, on any page of it, become a cohort or leave it. */
export function CasesTable({ empty }: { readonly empty: string }) {
  const { address } = usePlace()
  const [checked, setChecked] = useState<ReadonlySet<string>>(new Set())
  const toggle = (id: string) =>
    setChecked((now) =>
      now.has(id) ? new Set([...now].filter((one) => one !== id)) : new Set([...now, id]),
    )
  const lead: Column<RecordHit> = {
    title: 'Check',
    value: ({ id }) => (checked.has(id) ? 'checked' : undefined),
    show: (hit) => (
      <input
        type="checkbox"
        aria-label={`Check ${cellOf(hit, 'submitter_id') ?? hit.id}`}
        checked={checked.has(hit.id)}
        onChange={() => toggle(hit.id)}
      />
    ),
  }
  return (
    <>
      <RecordsTable
        of={RECORD_SETS.cases}
        filter={activeCohort(address).filter}
        lead={lead}
        empty={empty}
      />
      {checked.size > 0 && (
        <CheckedCases ids={[...checked]} uncheck={() => setChecked(new Set())} />
      )}
    </>
  )
}

interface CheckedCasesProps {
  readonly ids: readonly string[]
  readonly uncheck: () => void
}

function CheckedCases({ ids, uncheck }: CheckedCasesProps) {
  const { go } = usePlace()
  const service = useService()
  const { isBusy, error, run } = useTask()
  const withSet = (use: (set: ReturnType<typeof setFilter>) => void) =>
    run(async () => {
      const among = { op: 'in', content: { field: 'case_id', value: ids } }
      use(setFilter(await makeSet(service, among, 'frozen')))
      uncheck()
    })
  const keep = () =>
    withSet((filter) => go((now) => withCohort(now, { name: 'Checked cases', filter })))
  const leaveOut = () =>
    withSet((set) => go((now) => withFilter(now, bothOf(activeCohort(now).filter, notIn(set)))))
  return (
    <section aria-label="Checked cases">
      <p class="actions">
        <span aria-live="polite">{counted(ids.length, 'case')} checked</span>
        <button type="button" disabled={isBusy} onClick={keep}>
          Make a cohort of them
        </button>
        <button type="button" disabled={isBusy} onClick={leaveOut}>
          Leave them out
        </button>
        <button type="button" class="quiet" onClick={uncheck}>
          Uncheck all
        </button>
      </p>
      {error !== '' && <ErrorNote text={error} />}
    </section>
  )
}
