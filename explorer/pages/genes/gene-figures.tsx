import { useMemo } from 'preact/hooks'
import { type Cohort, formatAddress, toCohort } from '../../address/address.ts'
import { usePlace } from '../../address/context.ts'
import { bothOf } from '../../filter/filter.ts'
import { changedFilter, copyFilter } from '../../genes/changed-filters.ts'
import type { Group } from '../../groups/group.ts'
import { counted } from '../../parts/counted.ts'
import { Figure } from '../../parts/figure.tsx'
import { EmptyNote } from '../../parts/notes.tsx'
import type { Column } from '../../parts/table.tsx'
import type { ServiceRequest } from '../../service/service.ts'
import type { GeneChanges } from './gene-facts.ts'
import { type Share, shareOf, sharesChart } from './shares-chart.ts'

interface GeneFigureProps {
  readonly name: string
  readonly geneId: string
  /** Changes of the gene in each group, in the order of the groups. */
  readonly changes: readonly GeneChanges[]
  readonly groups: readonly Group[]
  readonly requests: readonly ServiceRequest[]
}

/** Maximum number of projects drawn. The table has all. */
const DRAWN = 30

const MUTATED = 'Mutated of tested cases (%)'
const CHANGED = 'Changed of tested cases (%)'

/** Shows the share of mutated cases by project. */
export function ProjectShares({ name, geneId, changes, groups, requests }: GeneFigureProps) {
  const cohorts = groups.map((group) => group.name)
  const hrefOf = useShareHref(groups, ({ name: project }) => ({
    name: `${name} mutated, ${project}`,
    filter: bothOf(
      { op: 'in', content: { field: 'project.project_id', value: [project] } },
      changedFilter('ssm', geneId),
    ),
  }))
  const rows = useMemo(
    () =>
      byShare(
        changes.flatMap(({ projects }, place) =>
          projects.map(({ project_id, ssm_cases: cases, ssm_tested: tested }) => ({
            name: project_id,
            cohort: cohorts[place] ?? '',
            cases,
            tested,
          })),
        ),
      ).filter(({ tested }) => tested > 0),
    [...changes, cohorts.join('\n')],
  )
  const names = [...new Set(rows.map((row) => row.name))]
  if (rows.length === 0) return <EmptyNote>No cases were tested for mutations.</EmptyNote>
  const drawn = rows.filter((row) => names.indexOf(row.name) < DRAWN)
  const rest = names.length > DRAWN ? `, the ${DRAWN} with the highest shares` : ''
  return (
    <Figure
      title={`In which projects is ${name} mutated?`}
      method={`The share of cases with a simple mutation in ${name}, of those with data on mutations, in the ${counted(names.length, 'project')} with any of these${rest}. A mark opens its mutated cases.`}
      requests={requests}
      columns={columnsOf('Project', 'Mutated cases', cohorts)}
      rows={rows}
      fileName={`projects-${name}`}
      drawnOf={rows}
      draw={(width) => sharesChart({ width, label: MUTATED, shares: drawn, cohorts, hrefOf })}
    />
  )
}

/** Shows the copy number changes of the gene. */
export function CopyNumbers({ name, geneId, changes, groups, requests }: GeneFigureProps) {
  const cohorts = groups.map((group) => group.name)
  const hrefOf = useShareHref(groups, ({ name: change }) => ({
    name: `${name} ${change.toLowerCase()}`,
    filter: copyFilter(geneId, change),
  }))
  const rows = useMemo(
    () =>
      byShare(
        changes.flatMap(({ copy_numbers, cnv_tested: tested }, place) =>
          copy_numbers.map(({ change, cases }) => ({
            name: change,
            cohort: cohorts[place] ?? '',
            cases,
            tested,
          })),
        ),
      ),
    [...changes, cohorts.join('\n')],
  )
  if (rows.length === 0) {
    return <EmptyNote>No case in the cohort has a copy-number change of {name}.</EmptyNote>
  }
  const tested = changes.map(
    ({ cnv_tested }, place) =>
      `${cnv_tested.toLocaleString('en')}${changes.length > 1 ? ` in ${cohorts[place]}` : ''}`,
  )
  return (
    <Figure
      title={`Copy numbers of ${name}`}
      method={`The share of cases with each change, of the cases with data on copy numbers: ${tested.join(', ')}. A mark opens its cases.`}
      requests={requests}
      columns={columnsOf('Change', 'Cases with it', cohorts)}
      rows={rows}
      fileName={`copy-numbers-${name}`}
      drawnOf={rows}
      draw={(width) => sharesChart({ width, label: CHANGED, shares: rows, cohorts, hrefOf })}
    />
  )
}

/** Returns a function for the address of the cases of a share, which are in its group. */
function useShareHref(groups: readonly Group[], cohortOf: (share: Share) => Cohort) {
  const { address } = usePlace()
  return (share: Share) => {
    const { name, filter } = cohortOf(share)
    const within = groups.find((group) => group.name === share.cohort)?.filter
    return formatAddress(toCohort(address, 'cohort', { name, filter: bothOf(within, filter) }))
  }
}

/** Sorts by the highest share in any cohort, keeping the cohorts of each name together. */
function byShare(shares: readonly Share[]): readonly Share[] {
  const highest = new Map<string, number>()
  for (const share of shares) {
    highest.set(share.name, Math.max(shareOf(share), highest.get(share.name) ?? 0))
  }
  return shares.toSorted(
    (one, other) =>
      (highest.get(other.name) ?? 0) - (highest.get(one.name) ?? 0) ||
      (one.name < other.name ? -1 : Number(one.name > other.name)),
  )
}

const columnsOf = (
  title: string,
  counted: string,
  cohorts: readonly string[],
): readonly Column<Share>[] => [
  { title, value: ({ name }) => name },
  ...(cohorts.length > 1 ? [{ title: 'Cohort', value: ({ cohort }: Share) => cohort }] : []),
  { title: counted, value: ({ cases }) => cases },
  { title: 'Tested cases', value: ({ tested }) => tested },
  { title: 'Share', value: shareOf },
]
