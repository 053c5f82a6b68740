import { useMemo } from 'preact/hooks'
import { formatAddress, onPage, toCohort } from '../../address/address.ts'
import { usePlace } from '../../address/context.ts'
import { caseFilters } from '../../cohort/case-filters.ts'
import { bothOf } from '../../filter/filter.ts'
import { testedFilter } from '../../genes/changed-filters.ts'
import type { Group } from '../../groups/group.ts'
import { GroupsNote } from '../../groups/groups-note.tsx'
import { GroupsPicker } from '../../groups/groups-picker.tsx'
import { splitOf } from '../../groups/split.ts'
import { useGroups } from '../../groups/use-groups.ts'
import { Answered } from '../../parts/answered.tsx'
import { Figure } from '../../parts/figure.tsx'
import { Link } from '../../parts/link.tsx'
import { EmptyNote } from '../../parts/notes.tsx'
import { type PartRow, partsChart } from '../../parts/parts-chart.ts'
import { type Column, Table } from '../../parts/table.tsx'
import type { ServiceRequest } from '../../service/service.ts'
import { useAnswers } from '../../service/use-answer.ts'
import { type BurdenSpot, burdenChart } from './burden-charts.ts'

/** Response of `/analysis/mutation_burden`. */
interface BurdenAnswer {
  readonly total: number
  readonly tested: number
  readonly classes: readonly string[]
  readonly counts: readonly number[]
  readonly least: number | null
  readonly lower_quartile: number | null
  readonly median: number | null
  readonly upper_quartile: number | null
  readonly most: number | null
  readonly cases: readonly {
    readonly case_id: string
    readonly submitter_id: string | null
    readonly project_id: string | null
    readonly mutations: number
    readonly counts: readonly number[]
  }[]
}

/** Answer for a group. */
interface GroupBurden {
  readonly group: Group
  readonly answer: BurdenAnswer
}

/** Maximum number of cases of each group that are listed, and of all cases that are drawn. */
const MAX_LISTED = 10_000
const MAX_DRAWN = 3000

/** Page for the number of simple mutations of the cases, by group. */
export function BurdenPage() {
  const { address } = usePlace()
  const grouping = useGroups()
  return (
    <>
      <GroupsPicker />
      <Answered answer={grouping}>
        {(made) => (
          <>
            {splitOf(address).by !== 'cohorts' && <GroupsNote grouping={made} />}
            <Burdens groups={made.groups} />
          </>
        )}
      </Answered>
    </>
  )
}

function Burdens({ groups }: { readonly groups: readonly Group[] }) {
  const requests = groups.map(
    ({ filter }): ServiceRequest => ({
      path: '/analysis/mutation_burden',
      body: { case_filters: caseFilters(filter), size: MAX_LISTED },
    }),
  )
  const answers = useAnswers<BurdenAnswer>(requests)
  return (
    <Answered answer={answers}>
      {(data) => {
        const burdens = data.flatMap((answer, place): GroupBurden[] => {
          const group = groups[place]
          return group ? [{ group, answer }] : []
        })
        return burdens.every(({ answer }) => answer.tested === 0) ? (
          <EmptyNote>No case of the groups was tested for simple mutations.</EmptyNote>
        ) : (
          <>
            <CasesFigure burdens={burdens} requests={requests} />
            <Summary burdens={burdens} />
            <KindsFigure burdens={burdens} requests={requests} />
          </>
        )
      }}
    </Answered>
  )
}

interface BurdensProps {
  readonly burdens: readonly GroupBurden[]
}

function Summary({ burdens }: BurdensProps) {
  const { address } = usePlace()
  const testedOf = ({ name, filter }: Group) => ({
    name: `${name}, tested for mutations`,
    filter: bothOf(filter, testedFilter('ssm')),
  })
  const columns: readonly Column<GroupBurden>[] = [
    { title: 'Group', value: ({ group }) => group.name },
    {
      title: 'Tested cases',
      value: ({ answer }) => answer.tested,
      show: ({ group, answer }) => (
        <Link to={toCohort(address, 'cohort', testedOf(group))}>
          {answer.tested.toLocaleString('en')}
        </Link>
      ),
    },
    { title: 'All cases', value: ({ answer }) => answer.total },
    ...(
      [
        ['Least', 'least'],
        ['First quartile', 'lower_quartile'],
        ['Median', 'median'],
        ['Third quartile', 'upper_quartile'],
        ['Most', 'most'],
      ] as const
    ).map(
      ([title, name]): Column<GroupBurden> => ({
        title,
        value: ({ answer }) => answer[name] ?? undefined,
      }),
    ),
  ]
  return (
    <Table
      caption="Simple mutations per case, of the cases that were tested for them"
      columns={columns}
      rows={burdens}
      fileName="mutation-burden-groups.tsv"
    />
  )
}

interface FigureProps extends BurdensProps {
  readonly requests: readonly ServiceRequest[]
}

interface CaseRow extends BurdenSpot {
  readonly project: string
  readonly counts: readonly number[]
}

function CasesFigure({ burdens, requests }: FigureProps) {
  const { address } = usePlace()
  const answers = burdens.map(({ answer }) => answer)
  const rows = useMemo(() => burdens.flatMap(rowsOf), answers)
  const drawn = useMemo(() => {
    const stride = Math.ceil(rows.length / MAX_DRAWN)
    return rows.filter((_, place) => place % stride === 0)
  }, [rows])
  const groups = burdens.flatMap(({ group, answer: { median } }, color) =>
    median === null ? [] : [{ name: group.name, color, median }],
  )
  const placeOf = ({ caseId }: BurdenSpot) => onPage(address, 'case', { id: caseId })
  const classes = answers[0]?.classes ?? []
  const columns: readonly Column<CaseRow>[] = [
    {
      title: 'Case',
      value: ({ name }) => name,
      show: (row) => <Link to={placeOf(row)}>{row.name}</Link>,
    },
    { title: 'Case id', value: ({ caseId }) => caseId },
    { title: 'Project', value: ({ project }) => project },
    { title: 'Group', value: ({ group }) => group },
    { title: 'Mutations', value: ({ mutations }) => mutations },
    ...classes.map(
      (name, place): Column<CaseRow> => ({ title: name, value: ({ counts }) => counts[place] }),
    ),
  ]
  const tested = answers.reduce((sum, answer) => sum + answer.tested, 0)
  const listed =
    rows.length < tested
      ? ` The ${MAX_LISTED.toLocaleString('en')} most mutated cases of each group are listed.`
      : ''
  const few =
    drawn.length < rows.length ? ` ${drawn.length.toLocaleString('en')} of them are drawn.` : ''
  return (
    <Figure
      title="How many mutations do the cases have?"
      method={`A dot for each of ${rows.length.toLocaleString('en')} of the ${tested.toLocaleString('en')} tested cases, in ascending order in its group; the line is the median of the group. A dot opens its case.${listed}${few} All simple mutations of the release count, whatever their consequence.`}
      requests={requests}
      columns={columns}
      rows={rows}
      fileName="mutation-burden"
      drawnOf={drawn}
      draw={(width) =>
        burdenChart({
          width,
          spots: drawn,
          groups,
          hrefOf: (spot) => formatAddress(placeOf(spot)),
        })
      }
    />
  )
}

/** Returns the listed cases of a group, most mutated first. */
function rowsOf({ group, answer: { cases, tested } }: GroupBurden): readonly CaseRow[] {
  return cases.map(({ case_id, submitter_id, project_id, mutations, counts }, place) => ({
    caseId: case_id,
    name: submitter_id ?? case_id,
    project: project_id ?? '',
    group: group.name,
    mutations,
    counts,
    rank: tested > 1 ? 1 - place / (tested - 1) : 0.5,
  }))
}

function KindsFigure({ burdens, requests }: FigureProps) {
  const { address } = usePlace()
  const answers = burdens.map(({ answer }) => answer)
  const rows = useMemo(() => burdens.flatMap(partsOf), answers)
  const cohorts = new Map(
    burdens.map(({ group: { name, filter } }) => [
      name,
      toCohort(address, 'cohort', { name, filter: bothOf(filter, testedFilter('ssm')) }),
    ]),
  )
  return (
    <Figure
      title="Of which kinds are the mutations?"
      method="The parts of all mutations of the tested cases of each group. The page Signatures has the substitutions by their bases. A bar opens the tested cases of its group."
      requests={requests}
      columns={KIND_COLUMNS}
      rows={rows}
      fileName="mutation-kinds"
      drawnOf={rows}
      draw={(width) =>
        partsChart({
          width,
          rows: rows.filter(({ cases }) => cases > 0),
          counted: 'mutations',
          groups: [''],
          parts: [...new Set(rows.map(({ part }) => part))],
          title: 'Kind',
          hrefOf: ({ value }) => formatAddress(cohorts.get(value) ?? address),
        })
      }
    />
  )
}

/** Returns the kinds of mutations of a group, in which substitutions of one base are one. */
function partsOf({ group, answer: { classes, counts } }: GroupBurden): readonly PartRow[] {
  const of = counts.reduce((sum, count) => sum + count, 0)
  const places = Map.groupBy(classes.keys(), (place) => kindOf(classes[place] ?? ''))
  let sum = 0
  return [...places].map(([part, some]) => {
    const cases = some.reduce((all, place) => all + (counts[place] ?? 0), 0)
    const start = of === 0 ? 0 : sum / of
    sum += cases
    return { group: '', value: group.name, part, cases, of, start, end: of === 0 ? 0 : sum / of }
  })
}

const kindOf = (name: string) => (name.includes('>') ? 'substitution of one base' : name)

const KIND_COLUMNS: readonly Column<PartRow>[] = [
  { title: 'Group', value: ({ value }) => value },
  { title: 'Kind', value: ({ part }) => part },
  { title: 'Mutations', value: ({ cases }) => cases },
  { title: 'Of', value: ({ of }) => of },
  { title: 'Share', value: ({ cases, of }) => (of === 0 ? undefined : cases / of) },
]
