import { formatAddress, toCohort } from '../../address/address.ts'
import { usePlace } from '../../address/context.ts'
import { prefixed } from '../../filter/filter.ts'
import { areApart, type Group, type Grouping } from '../../groups/group.ts'
import { Answered } from '../../parts/answered.tsx'
import { counted } from '../../parts/counted.ts'
import { Figure } from '../../parts/figure.tsx'
import { EmptyNote } from '../../parts/notes.tsx'
import { shownP } from '../../parts/shown-p.ts'
import type { ServiceRequest } from '../../service/service.ts'
import { useAnswer } from '../../service/use-answer.ts'
import { type Curve, curvesOf, type StepRow, type SurvivalAnswer, stepRows } from './curves.ts'
import { ENDPOINTS, type Endpoint } from './endpoints.ts'
import { GroupTable } from './group-table.tsx'
import { survivalChart } from './survival-chart.ts'

/** Shows a curve for each group, and a test of whether they differ. */
export function GroupSurvival({
  grouping,
  endpoint = ENDPOINTS[0],
}: {
  readonly grouping: Grouping
  readonly endpoint?: Endpoint
}) {
  const { groups } = grouping
  const request = survivalRequest(groups, endpoint)
  const answer = useAnswer<SurvivalAnswer>(request)
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
        const requests = [...grouping.requests, request]
        const shown = { curves, answer: data, grouping, endpoint, requests }
        return <Curves {...shown} />
      }}
    </Answered>
  )
}

function survivalRequest(groups: readonly Group[], { name }: Endpoint): ServiceRequest {
  const filters = groups.map(({ filter }) => prefixed(filter, 'cases') ?? {})
  return {
    path: '/analysis/survival',
    query: {
      filters: JSON.stringify(filters),
      intervals: 'true',
      comparison: 'true',
      ...(name !== 'overall' && { endpoint: name }),
    },
  }
}

interface CurvesProps {
  readonly curves: readonly Curve[]
  readonly answer: SurvivalAnswer
  readonly grouping: Grouping
  readonly endpoint: Endpoint
  readonly requests: readonly ServiceRequest[]
}

function Curves({ curves, answer, grouping, endpoint, requests }: CurvesProps) {
  const { address } = usePlace()
  const { logRankChiSquared, logRankDegreesFreedom, logRankPValue } = answer.overallStats
  const { groups, inGroups, shared, isParted } = grouping
  const cases = isParted ? inGroups - shared : inGroups
  const donors = answer.results.reduce((all, result) => {
    for (const { id } of result.donors) all.add(id)
    return all
  }, new Set<string>()).size
  const without = groups.filter(
    ({ name, cases: some }) => some > 0 && curves.every(({ group }) => group !== name),
  )
  const hrefOf = ({ group, index }: Curve) => {
    const cohort = { name: group, filter: groups[index]?.filter }
    return formatAddress(toCohort(address, 'cohort', cohort))
  }
  return (
    <>
      <Figure
        title={endpoint.title}
        method={`Kaplan–Meier estimates of ${counted(donors, 'donor')} with a known time, of ${counted(cases, 'case')}. Bands are 95 % confidence intervals on the log scale, ticks are donors whose time is censored. A curve opens its cases. ${endpoint.method}`}
        requests={requests}
        columns={columnsOf(endpoint)}
        rows={stepRows(curves)}
        fileName={endpoint.name === 'overall' ? 'survival' : endpoint.name}
        drawnOf={answer}
        draw={(width) => survivalChart({ curves, width, hrefOf })}
      >
        {without.length > 0 && (
          <p class="note">
            Without a curve, because no case has a known time:{' '}
            {without.map(({ name }) => name).join(', ')}.
          </p>
        )}
        {!areApart(grouping) ? (
          <p class="result">
            No test: {counted(shared, 'case is', 'cases are')} in several groups, and the log-rank
            test compares groups without common cases.
          </p>
        ) : (
          typeof logRankPValue === 'number' && (
            <p class="result">
              Log-rank test over {curves.length} groups: p = {shownP(logRankPValue)} (χ² ={' '}
              {logRankChiSquared?.toPrecision(4)}, {logRankDegreesFreedom}{' '}
              {logRankDegreesFreedom === 1 ? 'degree' : 'degrees'} of freedom)
            </p>
          )
        )}
      </Figure>
      <GroupTable groups={groups} statistics={answer.comparison.groups} event={endpoint.event} />
    </>
  )
}

const columnsOf = ({ event }: Endpoint) => [
  { title: 'Group', value: (row: StepRow) => row.group },
  { title: 'Day', value: (row: StepRow) => row.day },
  { title: 'At risk', value: (row: StepRow) => row.atRisk },
  { title: event, value: (row: StepRow) => row.deaths },
  { title: 'Censored', value: (row: StepRow) => row.censored },
  { title: 'Survival', value: (row: StepRow) => row.survival },
  { title: 'Lower 95 %', value: (row: StepRow) => row.lower },
  { title: 'Upper 95 %', value: (row: StepRow) => row.upper },
]
