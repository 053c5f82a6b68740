import { Answered } from '../../parts/answered.tsx'
import { FoldedRequests } from '../../parts/figure.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { useAnswer } from '../../service/use-answer.ts'
import { type Metric, metricsOf, numbersOf } from './metrics.ts'
import { WhoHad } from './who-had.tsx'

interface Dependencies {
  readonly status: string
  readonly dependencies: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

const READY = { path: '/health/ready' }
const DEPENDENCIES = { path: '/health/dependencies' }
const METRICS = { path: '/metrics', isTable: true }

/** Page with the health of the service: dependencies, release and activity. */
export function OperatorPage() {
  const ready = useAnswer<{ readonly status: string }>(READY)
  const dependencies = useAnswer<Dependencies>(DEPENDENCIES)
  const metrics = useAnswer<string>(METRICS)
  return (
    <>
      <Answered answer={ready}>
        {({ status }) => <p class="result">The service is {status}.</p>}
      </Answered>
      <Answered answer={dependencies}>
        {({ dependencies: all }) => (
          <Table caption="Dependencies" columns={DEPENDENCY_COLUMNS} rows={Object.entries(all)} />
        )}
      </Answered>
      <Answered answer={metrics}>
        {(text) => {
          const all = metricsOf(text)
          return (
            <>
              <dl class="numbers">
                {numbersOf(all).map(({ title, value }) => (
                  <div key={title}>
                    <dt>{title}</dt>
                    <dd>{value}</dd>
                  </div>
                ))}
              </dl>
              <Table
                caption={releaseText(all)}
                columns={RECORD_COLUMNS}
                rows={all.filter(({ name }) => name === 'casemill_release_records')}
                fileName="release.tsv"
              />
              <Table
                caption="Background work, by kind and state"
                columns={WORK_COLUMNS}
                rows={all.filter(({ name }) => name === 'casemill_work_tasks')}
                fileName="work.tsv"
              />
              <Table
                caption="Requests answered since the start, by route and status"
                columns={REQUEST_COLUMNS}
                rows={all
                  .filter(({ name }) => name === 'casemill_http_requests_total')
                  .toSorted((one, other) => other.value - one.value)}
                fileName="requests.tsv"
              />
              {all.some(({ name, value }) => name === 'casemill_audit_kept' && value > 0) && (
                <WhoHad />
              )}
            </>
          )
        }}
      </Answered>
      <FoldedRequests title="Requests" requests={[READY, DEPENDENCIES, METRICS]} />
    </>
  )
}

/** Describes the served release and its dates. */
function releaseText(metrics: readonly Metric[]): string {
  const one = (name: string) => metrics.find((metric) => metric.name === `casemill_release_${name}`)
  const id = one('info')?.labels.get('release')
  if (id === undefined) return 'No release is served.'
  const time = (name: string) => {
    const seconds = one(name)?.value
    return seconds === undefined ? 'unknown' : new Date(1000 * seconds).toLocaleString()
  }
  return `Release ${id}, made ${time('created_timestamp_seconds')}, served since ${time('switched_timestamp_seconds')}`
}

const RECORD_COLUMNS: readonly Column<Metric>[] = [
  { title: 'Dataset', value: ({ labels }) => labels.get('dataset') },
  { title: 'Records', value: ({ value }) => value },
]

const WORK_COLUMNS: readonly Column<Metric>[] = [
  { title: 'Kind', value: ({ labels }) => labels.get('kind') },
  { title: 'State', value: ({ labels }) => labels.get('state') },
  { title: 'Tasks', value: ({ value }) => value },
]

type Dependency = readonly [name: string, facts: Readonly<Record<string, unknown>>]

const DEPENDENCY_COLUMNS: readonly Column<Dependency>[] = [
  { title: 'Name', value: ([name]) => name },
  { title: 'State', value: ([, { state }]) => String(state) },
  {
    title: 'More',
    value: ([, { state, ...others }]) =>
      Object.entries(others)
        .map(([name, value]) => `${name.replaceAll('_', ' ')}: ${shown(value)}`)
        .join(', '),
  },
]

const shown = (value: unknown) =>
  typeof value === 'number' ? value.toLocaleString('en') : String(value)

const REQUEST_COLUMNS: readonly Column<Metric>[] = [
  { title: 'Method', value: ({ labels }) => labels.get('method') },
  { title: 'Route', value: ({ labels }) => labels.get('route') },
  { title: 'Status', value: ({ labels }) => labels.get('status') },
  { title: 'Ended', value: ({ labels }) => labels.get('outcome') },
  { title: 'Requests', value: ({ value }) => value },
]
