import { counted } from '../../parts/counted.ts'
import { Figure } from '../../parts/figure.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import type { ServiceRequest } from '../../service/service.ts'
import type { CaseEvent } from './case-events.ts'
import { shownEvents, timeLine } from './time-line.ts'

interface LifeProps {
  readonly name: string
  readonly events: readonly CaseEvent[]
  readonly request: ServiceRequest
}

/** Shows a case as a time line of events by days since the index date, and as a table of them. */
export function Life({ name, events, request }: LifeProps) {
  const hidden = events.length - shownEvents(events).length
  const count = `${events.length - hidden} of ${counted(events.length, 'event')}`
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
