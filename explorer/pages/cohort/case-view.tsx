import { Answered } from '../../parts/answered.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import type { ServiceRequest } from '../../service/service.ts'
import { useAnswer } from '../../service/use-answer.ts'
import { type CaseEvent, eventsOf } from './case-events.ts'

interface CaseAnswer {
  readonly data: Readonly<Record<string, unknown>> & { readonly submitter_id?: string }
}

/** What the time line is made of. */
const GROUPS = [
  'demographic',
  'diagnoses',
  'diagnoses.treatments',
  'follow_ups',
  'samples',
  'project',
]

/** One case as a time line: what happened on which day since the index date, oldest first. */
export function CaseView({ id, close }: { readonly id: string; readonly close: () => void }) {
  const request: ServiceRequest = {
    path: `/cases/${encodeURIComponent(id)}`,
    query: { expand: GROUPS.join(',') },
  }
  const answer = useAnswer<CaseAnswer>(request)
  return (
    <section class="case" aria-label="Case">
      <Answered answer={answer}>
        {({ data }) => (
          <>
            <h3>{data.submitter_id ?? id}</h3>
            <Table
              caption="Days are counted from the index date, in most releases the diagnosis"
              columns={COLUMNS}
              rows={eventsOf(data)}
              fileName={`${data.submitter_id ?? id}.tsv`}
            />
          </>
        )}
      </Answered>
      <button type="button" onClick={close}>
        Close this case
      </button>
    </section>
  )
}

const COLUMNS: readonly Column<CaseEvent>[] = [
  { title: 'Day', value: ({ day }) => day },
  { title: 'Event', value: ({ what }) => what },
  { title: 'What is known', value: ({ facts }) => facts },
]
