import { activeCohort, withQuery } from '../../address/address.ts'
import { usePlace } from '../../address/context.ts'
import type { SearchAnswer } from '../../cohort/count.ts'
import { bothOf, type Filter, prefixed } from '../../cohort/filter.ts'
import { fieldName } from '../../cohort/words.ts'
import { Answered } from '../../parts/answered.tsx'
import { Figure } from '../../parts/figure.tsx'
import { EmptyNote } from '../../parts/notes.tsx'
import type { ServiceRequest } from '../../service/service.ts'
import { useAnswer } from '../../service/use-answer.ts'
import { type Curve, curvesOf, type StepRow, type SurvivalAnswer, stepRows } from './curves.ts'
import { survivalChart } from './survival-chart.ts'

/** A group of cases whose lives are looked at together. */
interface Group {
  readonly name: string
  readonly filter: Filter | undefined
}

/** Fields that a cohort may be split by. */
const SPLITS = [
  'demographic.gender',
  'primary_site',
  'disease_type',
  'diagnoses.ajcc_pathologic_stage',
  'diagnoses.tumor_grade',
  'demographic.race',
  'project.project_id',
] as const
/** More curves could not be told from each other. */
const MAX_GROUPS = 6

/** Curves of the cohorts, or of one cohort's groups, with what tells whether they differ. */
export function SurvivalPage() {
  const { address, go } = usePlace()
  const { cohorts } = address
  const active = activeCohort(address)
  const field = address.query.get('by')
  const split = useAnswer<SearchAnswer>(
    field === undefined
      ? undefined
      : { path: '/cases', query: { size: 0, facets: field }, filters: active.filter },
  )
  const buckets = Object.values(split.data?.data.aggregations ?? {})[0]?.buckets
  const groups: readonly Group[] | undefined =
    field === undefined
      ? cohorts
      : split.isLoading
        ? undefined
        : buckets
            ?.filter(({ key }) => key !== '_missing')
            .slice(0, MAX_GROUPS)
            .map(({ key }) => ({
              name: key,
              filter: bothOf(active.filter, { op: 'in', content: { field, value: [key] } }),
            }))
  const request = groups && survivalRequest(groups)
  const answer = useAnswer<SurvivalAnswer>(request)
  return (
    <>
      <form class="controls">
        <label>
          Groups
          <select
            value={field ?? ''}
            onChange={(event) => go(withQuery(address, { by: event.currentTarget.value }))}
          >
            <option value="">
              {cohorts.length > 1 ? `the ${cohorts.length} cohorts` : 'the cohort as a whole'}
            </option>
            {SPLITS.map((name) => (
              <option key={name} value={name}>
                {active.name} by {fieldName(name).toLowerCase()}
              </option>
            ))}
          </select>
        </label>
      </form>
      <Answered answer={split.error ? { ...answer, error: split.error } : answer}>
        {(data) => {
          const curves = curvesOf(data, groups?.map(({ name }) => name) ?? [])
          if (curves.length === 0) {
            return (
              <EmptyNote>
                No case of these has both a vital status and days to death or to the last contact.
                Choose other cases.
              </EmptyNote>
            )
          }
          return <Curves curves={curves} answer={data} requests={request ? [request] : []} />
        }}
      </Answered>
    </>
  )
}

function survivalRequest(groups: readonly Group[]): ServiceRequest {
  const filters = groups.map(({ filter }) => prefixed(filter, 'cases') ?? {})
  return {
    path: '/analysis/survival',
    query: { filters: JSON.stringify(filters), intervals: 'true' },
  }
}

interface CurvesProps {
  readonly curves: readonly Curve[]
  readonly answer: SurvivalAnswer
  readonly requests: readonly ServiceRequest[]
}

function Curves({ curves, answer, requests }: CurvesProps) {
  const { pValue } = answer.overallStats
  const donors = curves.reduce((sum, curve) => sum + curve.donors, 0)
  return (
    <Figure
      title="Overall survival"
      method={`Kaplan–Meier estimates of ${donors.toLocaleString('en')} donors with a known time. Bands are 95 % confidence intervals on the log scale, ticks are donors whose time is censored.`}
      requests={requests}
      columns={COLUMNS}
      rows={stepRows(curves)}
      fileName="survival"
      drawnOf={answer}
      draw={(width) => survivalChart({ curves, width })}
    >
      {pValue !== undefined && (
        <p class="result">
          Log-rank test over {curves.length} groups: p = {shownP(pValue)}
        </p>
      )}
    </Figure>
  )
}

const shownP = (value: number) =>
  value === 0 ? 'below 1e-300' : value < 0.001 ? value.toExponential(2) : value.toPrecision(3)

const COLUMNS = [
  { title: 'Group', value: (row: StepRow) => row.group },
  { title: 'Day', value: (row: StepRow) => row.day },
  { title: 'At risk', value: (row: StepRow) => row.atRisk },
  { title: 'Deaths', value: (row: StepRow) => row.deaths },
  { title: 'Censored', value: (row: StepRow) => row.censored },
  { title: 'Survival', value: (row: StepRow) => row.survival },
  { title: 'Lower 95 %', value: (row: StepRow) => row.lower },
  { title: 'Upper 95 %', value: (row: StepRow) => row.upper },
]
