import { countRequest, type SearchAnswer } from '../../cohort/count.ts'
import { type Filter, prefixed } from '../../filter/filter.ts'
import { Answered } from '../../parts/answered.tsx'
import { Figure } from '../../parts/figure.tsx'
import { EmptyNote } from '../../parts/notes.tsx'
import type { ServiceRequest } from '../../service/service.ts'
import { useAnswer, useAnswers } from '../../service/use-answer.ts'
import { type Curve, curvesOf, type StepRow, type SurvivalAnswer, stepRows } from './curves.ts'
import { survivalChart } from './survival-chart.ts'

/** A group of cases with its own curve. */
export interface Group {
  readonly name: string
  readonly filter: Filter | undefined
}

/** Shows a curve for each group, and a test of whether they differ. */
export function GroupSurvival({ groups }: { readonly groups: readonly Group[] }) {
  const request = survivalRequest(groups)
  const answer = useAnswer<SurvivalAnswer>(request)
  const counts = useAnswers<SearchAnswer>(groups.map(({ filter }) => countRequest(filter)))
  const cases = counts.data?.reduce((sum, { data }) => sum + data.pagination.total, 0)
  return (
    <Answered answer={answer}>
      {(data) => {
        const curves = curvesOf(
          data,
          groups.map(({ name }) => name),
        )
        if (curves.length === 0) {
          return (
            <EmptyNote>
              None of these cases has both a vital status and days to death or last contact. Choose
              other cases.
            </EmptyNote>
          )
        }
        return <Curves curves={curves} answer={data} cases={cases} requests={[request]} />
      }}
    </Answered>
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
  /** Number of cases in all groups, including those without a known time. Undefined while loading. */
  readonly cases: number | undefined
  readonly requests: readonly ServiceRequest[]
}

function Curves({ curves, answer, cases, requests }: CurvesProps) {
  const { pValue } = answer.overallStats
  const donors = curves.reduce((sum, curve) => sum + curve.donors, 0)
  return (
    <Figure
      title="Overall survival"
      method={`Kaplan–Meier estimates of ${donors.toLocaleString('en')} donors with a known time${cases === undefined ? '' : `, of ${cases.toLocaleString('en')} cases`}. Bands are 95 % confidence intervals on the log scale, ticks are donors whose time is censored.`}
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
