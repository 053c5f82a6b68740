import { ALL_CASES, formatAddress, toCohort, withCohort } from '../../address/address.ts'
import { usePlace } from '../../address/context.ts'
import { countRequest, type SearchAnswer } from '../../cohort/count.ts'
import { DAYS_PER_YEAR, fieldName } from '../../cohort/words.ts'
import { inLetters, keysOf, useLetters } from '../../facets/letters.ts'
import {
  bothOf,
  type Filter,
  filterOf,
  intervalRange,
  seenByOwnField,
} from '../../filter/filter.ts'
import { Asked, notIn } from '../../groups/asked.ts'
import type { Group } from '../../groups/group.ts'
import { GroupsNote } from '../../groups/groups-note.tsx'
import { GroupsPicker } from '../../groups/groups-picker.tsx'
import { splitOf } from '../../groups/split.ts'
import { useGroups } from '../../groups/use-groups.ts'
import { Answered } from '../../parts/answered.tsx'
import { Figure } from '../../parts/figure.tsx'
import { EmptyNote } from '../../parts/notes.tsx'
import type { Column } from '../../parts/table.tsx'
import type { ServiceRequest } from '../../service/service.ts'
import { useAnswers, useLoaded } from '../../service/use-answer.ts'
import { GroupSurvival } from '../survival/group-survival.tsx'
import { AllTests } from './all-tests.tsx'
import { Combine } from './combine.tsx'
import { type Overlap, type OverlapPart, overlapChart, pairsOf } from './overlap.ts'
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
const YEARS = 10
/** Maximum number of values that are shown in the letters of their records. */
const MAX_SPELLED = 200

/** Page that compares groups of cases: overlaps, composition and survival. */
export function ComparePage() {
  const { address, go } = usePlace()
  const grouping = useGroups()
  return (
    <>
      <GroupsPicker />
      <Answered answer={grouping}>
        {(made) =>
          made.groups.length < 2 ? (
            <>
              <EmptyNote>Add another cohort to compare, or choose how to make groups.</EmptyNote>
              {splitOf(address).by === 'cohorts' && (
                <button type="button" onClick={() => go((now) => withCohort(now, ALL_CASES))}>
                  Compare with all cases
                </button>
              )}
            </>
          ) : (
            <>
              <GroupsNote grouping={made} />
              <Overlaps groups={made.groups} />
              <Combine groups={made.groups} />
              <SideBySide groups={made.groups} />
              <AllTests grouping={made} />
              <GroupSurvival grouping={made} />
            </>
          )
        }
      </Answered>
    </>
  )
}

interface GroupsProps {
  readonly groups: readonly Group[]
}

/** Returns the filters of the cases that are not in a group. Undefined until the service has made sets of the groups. */
function useOthers(groups: readonly Group[]): readonly Filter[] | undefined {
  const filters = groups.map(({ filter }) => filter)
  return useLoaded(filters, (service, given, signal) => {
    const asked = new Asked(service, signal)
    return Promise.all(given.map(async (one) => notIn((await asked.set(one)).filter)))
  }).data
}

function Overlaps({ groups }: GroupsProps) {
  const { address } = usePlace()
  const others = useOthers(groups)
  const pairs = pairsOf(groups.length)
  const requests: readonly ServiceRequest[] = pairs.map(([first, second]) =>
    countRequest(bothOf(groups[first]?.filter, groups[second]?.filter)),
  )
  const answers = useAnswers<SearchAnswer>(requests)
  return (
    <Answered answer={answers}>
      {(data) => {
        const totals = data.map((answer) => answer.data.pagination.total)
        const overlaps = pairs.map(([first, second], index): Overlap => {
          const both = totals[index] ?? 0
          return {
            first: groups[first]?.name ?? '',
            second: groups[second]?.name ?? '',
            onlyFirst: (groups[first]?.cases ?? 0) - both,
            both,
            onlySecond: (groups[second]?.cases ?? 0) - both,
          }
        })
        const hrefOf = (pair: number, part: OverlapPart) => {
          if (!others) return undefined
          const [first = 0, second = 0] = pairs[pair] ?? []
          const [one, other] = [groups[first], groups[second]]
          const cohorts = {
            onlyFirst: [`${one?.name} without ${other?.name}`, one?.filter, others[second]],
            both: [`${one?.name} and ${other?.name}`, one?.filter, other?.filter],
            onlySecond: [`${other?.name} without ${one?.name}`, other?.filter, others[first]],
          } as const
          const [name, ...filters] = cohorts[part]
          return formatAddress(toCohort(address, 'cohort', { name, filter: bothOf(...filters) }))
        }
        const named = groups.map(({ name, cases }) => `${name} has ${cases.toLocaleString('en')}`)
        return (
          <Figure
            title="Which cases do they share?"
            method={`Cases of one group alone, and of both. ${named.join(', ')}. A part opens its cases.`}
            requests={requests}
            columns={OVERLAP_COLUMNS}
            rows={overlaps}
            fileName="overlap"
            drawnOf={others ?? data}
            draw={(width) => overlapChart(width, overlaps, hrefOf)}
          />
        )
      }}
    </Answered>
  )
}

function SideBySide({ groups }: GroupsProps) {
  const { address, change } = usePlace()
  const field = address.query.get('by') ?? FIELDS[0] ?? ''
  const isAge = field === AGE
  const requests = groups.map(
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
  const keys = (answers.data ?? []).flatMap(({ data }) =>
    keysOf(Object.values(data.aggregations ?? {})[0]?.buckets),
  )
  const cohortOf = ({ cohort, key, value }: Share) => {
    const within = groups.find(({ name }) => name === cohort)?.filter
    const range = intervalRange(Number(key), YEARS * DAYS_PER_YEAR)
    const condition = isAge ? { field, ...range } : { field, values: [key] }
    const filter = bothOf(within, filterOf({ conditions: [condition], others: [] }))
    return { name: `${cohort}, ${value}`, filter }
  }
  const letters = useLetters('cases', [{ field, keys: [...new Set(keys)].slice(0, MAX_SPELLED) }])
  const choice = (
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
  )
  return (
    <Answered answer={answers}>
      {(data) => {
        const shares = sharesOf(
          groups.map(({ name }, index) => ({
            name,
            total: data[index]?.data.pagination.total ?? 0,
            aggregation: Object.values(data[index]?.data.aggregations ?? {})[0],
          })),
          isAge ? decadeOf : (value) => inLetters(letters, field, value),
        )
        return shares.length === 0 ? (
          <>
            {choice}
            <EmptyNote>No cases have a value.</EmptyNote>
          </>
        ) : (
          <Figure
            title={`${fieldName(field)} side by side`}
            method={`Cases of each group that have the value, as a part of all its cases${isAge ? ', in years' : ''}. A case may have several values, and some have none. A bar opens its cases.`}
            requests={requests}
            columns={SHARE_COLUMNS}
            rows={shares}
            fileName="side-by-side"
            drawnOf={[data, letters]}
            draw={(width) =>
              sharesChart(width, {
                shares,
                cohorts: groups.map(({ name }) => name),
                hrefOf: (share) => formatAddress(toCohort(address, 'cohort', cohortOf(share))),
              })
            }
          >
            {choice}
          </Figure>
        )
      }}
    </Answered>
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
