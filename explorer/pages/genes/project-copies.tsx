import { useMemo } from 'preact/hooks'
import { formatAddress, toCohort } from '../../address/address.ts'
import { usePlace } from '../../address/context.ts'
import { caseFilters } from '../../cohort/case-filters.ts'
import { bothOf } from '../../filter/filter.ts'
import { copyFilter, UNCHANGED_COPIES } from '../../genes/changed-filters.ts'
import type { Group } from '../../groups/group.ts'
import { Answered } from '../../parts/answered.tsx'
import { counted } from '../../parts/counted.ts'
import { Figure } from '../../parts/figure.tsx'
import { Link } from '../../parts/link.tsx'
import { type PartRow, partsChart } from '../../parts/parts-chart.ts'
import type { Column } from '../../parts/table.tsx'
import type { ServiceRequest } from '../../service/service.ts'
import { useAnswers } from '../../service/use-answer.ts'

/** Response of `/analysis/gene_copy_numbers`. */
interface CopiesAnswer {
  readonly copy_numbers: readonly string[]
  readonly projects: readonly {
    readonly project_id: string
    readonly tested: number
    readonly counts: readonly number[]
    readonly unchanged: number
  }[]
}

interface ProjectCopiesProps {
  readonly name: string
  readonly geneId: string
  readonly groups: readonly Group[]
}

/** Changes from the fewest copies to the most. Others come last. */
const ORDER = ['Homozygous Deletion', 'Loss', UNCHANGED_COPIES, 'Gain', 'Amplification']
/** Maximum number of projects drawn. The table has all. */
const DRAWN = 30

/** Shows the copy number of a gene by project, of the cases that were tested for it. */
export function ProjectCopies({ name, geneId, groups }: ProjectCopiesProps) {
  const requests = groups.map(
    ({ filter }): ServiceRequest => ({
      path: '/analysis/gene_copy_numbers',
      body: { case_filters: caseFilters(filter), gene_id: geneId },
    }),
  )
  const answers = useAnswers<CopiesAnswer>(requests)
  return (
    <Answered answer={answers}>
      {(data) => <CopiesFigure {...{ name, geneId, groups, data, requests }} />}
    </Answered>
  )
}

interface CopiesFigureProps extends ProjectCopiesProps {
  readonly data: readonly CopiesAnswer[]
  readonly requests: readonly ServiceRequest[]
}

function CopiesFigure({ name, geneId, groups, data, requests }: CopiesFigureProps) {
  const { address } = usePlace()
  const rows = useMemo(
    () =>
      data
        .flatMap((answer, place) => rowsOf(answer, groups[place]?.name ?? ''))
        // A project may be that of a later group alone.
        .toSorted((one, other) => (one.value < other.value ? -1 : Number(one.value > other.value))),
    [...data, groups.map((group) => group.name).join('\n')],
  )
  if (rows.length === 0) return null
  const within = new Map(groups.map((group) => [group.name, group.filter]))
  const placeOf = ({ group, value, part }: PartRow) =>
    toCohort(address, 'cohort', {
      name: `${name} ${part.toLowerCase()}, ${value}`,
      filter: bothOf(
        within.get(group),
        { op: 'in', content: { field: 'project.project_id', value: [value] } },
        copyFilter(geneId, part),
      ),
    })
  const projects = [...new Set(rows.map(({ value }) => value))]
  const drawn = rows.filter(({ value, cases }) => cases > 0 && projects.indexOf(value) < DRAWN)
  const parts = [...new Set(rows.map(({ part }) => part))].toSorted(byOrder)
  const columns: readonly Column<PartRow>[] = [
    { title: 'Project', value: ({ value }) => value },
    { title: 'Change', value: ({ part }) => part },
    ...(groups.length > 1 ? [{ title: 'Group', value: ({ group }: PartRow) => group }] : []),
    {
      title: 'Cases with it',
      value: ({ cases }) => cases,
      show: (row) => <Link to={placeOf(row)}>{row.cases.toLocaleString('en')}</Link>,
    },
    { title: 'Tested cases', value: ({ of }) => of },
    { title: 'Share', value: ({ cases, of }) => cases / of },
  ]
  const some = projects.length > DRAWN ? ` The first ${DRAWN} are drawn.` : ''
  return (
    <Figure
      title={`Copy number of ${name} by project`}
      method={`The parts of the cases with each copy number, of those with data on copy numbers, in ${counted(projects.length, 'project')}.${some} A part opens its cases. A case with several changes counts for each.`}
      requests={requests}
      columns={columns}
      rows={rows}
      fileName={`copy-numbers-by-project-${name}`}
      drawnOf={rows}
      draw={(width) =>
        partsChart({
          width,
          rows: drawn,
          groups: groups.map((group) => group.name),
          parts,
          title: `Copy number of ${name}`,
          hrefOf: (row) => formatAddress(placeOf(row)),
        })
      }
    />
  )
}

function rowsOf({ copy_numbers, projects }: CopiesAnswer, group: string): readonly PartRow[] {
  const names = [...copy_numbers, UNCHANGED_COPIES]
  const order = [...names.keys()].toSorted((a, b) => byOrder(names[a] ?? '', names[b] ?? ''))
  return projects.flatMap(({ project_id: value, tested, counts, unchanged }) => {
    const all = [...counts, unchanged]
    const whole = Math.max(
      1,
      all.reduce((sum, cases) => sum + cases, 0),
    )
    let sum = 0
    return order.map((place): PartRow => {
      const cases = all[place] ?? 0
      const start = sum / whole
      sum += cases
      const ends = { start, end: sum / whole }
      return { group, value, part: names[place] ?? '', cases, of: tested, ...ends }
    })
  })
}

const rankOf = (name: string) => (ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length)

const byOrder = (one: string, other: string) => rankOf(one) - rankOf(other)
