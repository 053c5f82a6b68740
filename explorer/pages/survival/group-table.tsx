import type { Group } from '../../groups/group.ts'
import { shownP } from '../../parts/shown-p.ts'
import { type Column, Table } from '../../parts/table.tsx'
import type { GroupStatistics } from './curves.ts'

interface GroupTableProps {
  readonly groups: readonly Group[]
  /** Statistics of each group, in the same order. */
  readonly statistics: readonly GroupStatistics[]
  /** Title of the column of events. */
  readonly event: string
}

type Row = Pick<Group, 'name' | 'cases'> & GroupStatistics

/** Shows the median survival of each group, and its hazard relative to the first one. */
export function GroupTable({ groups, statistics, event }: GroupTableProps) {
  const medians = mediansOf(event)
  const rows = groups.flatMap(({ name, cases }, index): readonly Row[] => {
    const one = statistics[index]
    return one ? [{ name, cases, ...one }] : []
  })
  const [first] = rows
  return (
    <Table
      caption={`Median survival with its 95 % interval${first && rows.length > 1 ? `, and hazard relative to “${first.name}” (Cox, Efron's ties, Wald's interval)` : ''}. A dash: not reached, or not estimable.`}
      columns={rows.length > 1 ? [...medians, ...RATIOS] : medians}
      rows={rows}
      fileName="survival-groups.tsv"
    />
  )
}

const interval = (low: number | null, high: number | null, shown: (one: number) => string) =>
  low === null && high === null
    ? '–'
    : `${low === null ? '–' : shown(low)} to ${high === null ? '–' : shown(high)}`

const days = (value: number) => value.toLocaleString('en', { maximumFractionDigits: 1 })
const ratio = (value: number) => value.toPrecision(3)

const mediansOf = (event: string): readonly Column<Row>[] => [
  { title: 'Group', value: ({ name }) => name },
  { title: 'Cases', value: ({ cases }) => cases },
  { title: 'With a time', value: ({ donors }) => donors },
  { title: event, value: ({ deaths }) => deaths },
  {
    title: 'Median (days)',
    value: ({ median_days: median }) => (median === null ? '–' : days(median)),
  },
  {
    title: '95 %',
    value: ({ median_lower_95: low, median_upper_95: high }) => interval(low, high, days),
  },
]

const RATIOS: readonly Column<Row>[] = [
  {
    title: 'Hazard ratio',
    value: ({ hazard_ratio: value }) => (value === null ? '–' : ratio(value)),
  },
  {
    title: '95 % of it',
    value: ({ hazard_ratio_lower_95: low, hazard_ratio_upper_95: high }) =>
      interval(low, high, ratio),
  },
  {
    title: 'p',
    value: ({ hazard_ratio_p_value: p }) => (p === null ? '–' : shownP(p)),
  },
]
