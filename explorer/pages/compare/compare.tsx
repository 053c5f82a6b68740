import { ALL_CASES, withCohort } from '../../address/address.ts'
import { usePlace } from '../../address/context.ts'
import { countRequest, type SearchAnswer } from '../../cohort/count.ts'
import { DAYS_PER_YEAR, fieldName } from '../../cohort/words.ts'
import { bothOf, seenByOwnField } from '../../filter/filter.ts'
import { Answered } from '../../parts/answered.tsx'
import { Figure } from '../../parts/figure.tsx'
import { EmptyNote } from '../../parts/notes.tsx'
import type { Column } from '../../parts/table.tsx'
import type { ServiceRequest } from '../../service/service.ts'
import { useAnswers } from '../../service/use-answer.ts'
import { GroupSurvival } from '../survival/group-survival.tsx'
import { Combine } from './combine.tsx'
import { type Overlap, overlapChart, pairsOf } from './overlap.ts'
import { type Share, sharesChart, sharesOf } from './side-by-side.ts'

const AGE = 'diagnoses.age_at_diagnosis'
const FIELDS = [
  'demographic.gender',
  'primary_site',
  'disease_type',
  AGE,
  'diagnoses.ajcc_pathologic_stage',
  'diagnoses.tumor_grade',
  'demographic.race',
  'demographic.vital_status',
  'project.project_id',
  'files.data_type',
]
/** Maximum number of cohorts with distinguishable colours. */
const MAX_COHORTS = 6
const YEARS = 10

/** Page that compares cohorts: overlaps, composition and survival. */
export function ComparePage() {
  const { address, go } = usePlace()
  const cohorts = address.cohorts.slice(0, MAX_COHORTS)
  if (cohorts.length < 2) {
    return (
      <>
        <EmptyNote>Add another cohort to compare.</EmptyNote>
        <button type="button" onClick={() => go((now) => withCohort(now, ALL_CASES))}>
          Compare with all cases
        </button>
      </>
    )
  }
  return (
    <>
      <Overlaps />
      <Combine cohorts={cohorts} />
      <SideBySide />
      <GroupSurvival groups={cohorts} />
    </>
  )
}

function Overlaps() {
  const { address } = usePlace()
  const cohorts = address.cohorts.slice(0, MAX_COHORTS)
  const pairs = pairsOf(cohorts.length)
  const requests: readonly ServiceRequest[] = [
    ...cohorts.map(({ filter }) => countRequest(filter)),
    ...pairs.map(([first, second]) =>
      countRequest(bothOf(cohorts[first]?.filter, cohorts[second]?.filter)),
    ),
  ]
  const answers = useAnswers<SearchAnswer>(requests)
  return (
    <Answered answer={answers}>
      {(data) => {
        const totals = data.map((answer) => answer.data.pagination.total)
        const overlaps = pairs.map(([first, second], index): Overlap => {
          const both = totals[cohorts.length + index] ?? 0
          return {
            first: cohorts[first]?.name ?? '',
            second: cohorts[second]?.name ?? '',
            onlyFirst: (totals[first] ?? 0) - both,
            both,
            onlySecond: (totals[second] ?? 0) - both,
          }
        })
        const named = cohorts.map(
          ({ name }, index) => `${name} has ${totals[index]?.toLocaleString('en')}`,
        )
        return (
          <Figure
            title="Overlap"
            method={`Cases of one cohort alone, and of both. ${named.join(', ')}.`}
            requests={requests}
            columns={OVERLAP_COLUMNS}
            rows={overlaps}
            fileName="overlap"
            drawnOf={data}
            draw={(width) => overlapChart(width, overlaps)}
          />
        )
      }}
    </Answered>
  )
}

function SideBySide() {
  const { address, change } = usePlace()
  const cohorts = address.cohorts.slice(0, MAX_COHORTS)
  const field = address.query.get('by') ?? FIELDS[0] ?? ''
  const isAge = field === AGE
  const requests = cohorts.map(
    ({ filter }): ServiceRequest => ({
      path: '/cases',
      query: {
        size: 0,
        ...(isAge ? { histograms: `${field}:${YEARS * DAYS_PER_YEAR}` } : { facets: field }),
      },
      filters: seenByOwnField(filter, field),
    }),
  )
  const answers = useAnswers<SearchAnswer>(requests)
  return (
    <>
      <form class="controls">
        <label>
          Side by side
          <select value={field} onChange={(event) => change({ by: event.currentTarget.value })}>
            {FIELDS.map((name) => (
              <option key={name} value={name}>
                {fieldName(name)}
              </option>
            ))}
          </select>
        </label>
      </form>
      <Answered answer={answers}>
        {(data) => {
          const shares = sharesOf(
            cohorts.map(({ name }, index) => ({
              name,
              total: data[index]?.data.pagination.total ?? 0,
              aggregation: Object.values(data[index]?.data.aggregations ?? {})[0],
            })),
            isAge ? decadeOf : (value) => value,
          )
          return shares.length === 0 ? (
            <EmptyNote>No cases have a value.</EmptyNote>
          ) : (
            <Figure
              title={`${fieldName(field)} side by side`}
              method={`Cases of each cohort that have the value, as a part of all its cases${isAge ? ', in years' : ''}. A case may have several values, and some have none.`}
              requests={requests}
              columns={SHARE_COLUMNS}
              rows={shares}
              fileName="side-by-side"
              drawnOf={data}
              draw={(width) =>
                sharesChart(
                  width,
                  shares,
                  cohorts.map(({ name }) => name),
                )
              }
            />
          )
        }}
      </Answered>
    </>
  )
}

/** Converts an interval, named by its first day, to a decade. */
const decadeOf = (days: string) => {
  const first = Math.round(Number(days) / DAYS_PER_YEAR)
  return `${first} to ${first + YEARS - 1}`
}

const OVERLAP_COLUMNS: readonly Column<Overlap>[] = [
  { title: 'First', value: ({ first }) => first },
  { title: 'Second', value: ({ second }) => second },
  { title: 'Only first', value: ({ onlyFirst }) => onlyFirst },
  { title: 'Both', value: ({ both }) => both },
  { title: 'Only second', value: ({ onlySecond }) => onlySecond },
]

const SHARE_COLUMNS: readonly Column<Share>[] = [
  { title: 'Value', value: ({ value }) => value },
  { title: 'Cohort', value: ({ cohort }) => cohort },
  { title: 'Cases', value: ({ cases }) => cases },
  { title: 'Part (%)', value: ({ share }) => 100 * share },
]
