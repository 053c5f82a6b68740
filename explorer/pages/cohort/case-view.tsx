import { Answered } from '../../parts/answered.tsx'
import { Figure } from '../../parts/figure.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import type { ServiceRequest } from '../../service/service.ts'
import { useAnswer } from '../../service/use-answer.ts'
import { type CaseEvent, eventsOf } from './case-events.ts'
import { shownEvents, timeLine } from './time-line.ts'

interface CaseAnswer {
  readonly data: Readonly<Record<string, unknown>> & { readonly submitter_id?: string }
}

/** Groups that the time line shows. */
const GROUPS = [
  'demographic',
  'diagnoses',
  'diagnoses.treatments',
  'follow_ups',
  'samples',
  'project',
]

/** Shows a case as a time line of events by days since the index date, oldest first. */
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
          <Life name={data.submitter_id ?? id} events={eventsOf(data)} request={request} />
        )}
      </Answered>
      <button type="button" onClick={close}>
        Close this case
      </button>
    </section>
  )
}

interface LifeProps {
  readonly name: string
  readonly events: readonly CaseEvent[]
  readonly request: ServiceRequest
}

function Life({ name, events, request }: LifeProps) {
  const hidden = events.length - shownEvents(events).length
  const count = `${events.length - hidden} of ${events.length} events`
  return (
    <>
      <Figure
        title={`Time line of ${name}`}
        method={`${count} by days since the index date, in most releases the diagnosis. The table has all: those without a day, and those years before, are in it alone.`}
        requests={[request]}
        columns={COLUMNS}
        rows={events}
        fileName={`${name}-time-line`}
        drawnOf={events.length > 0 ? name : undefined}
        draw={(width) => timeLine(width, events)}
      />
      <Table
        caption={`Properties of ${name}`}
        columns={COLUMNS}
        rows={events}
        fileName={`${name}.tsv`}
      />
    </>
  )
}

const COLUMNS: readonly Column<CaseEvent>[] = [
  { title: 'Day', value: ({ day }) => day },
  { title: 'Event', value: ({ what }) => what },
  { title: 'Details', value: ({ facts }) => facts },
]
