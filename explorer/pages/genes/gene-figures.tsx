import { useMemo } from 'preact/hooks'
import { type Cohort, formatAddress, toCohort } from '../../address/address.ts'
import { usePlace } from '../../address/context.ts'
import { bothOf, type Filter } from '../../filter/filter.ts'
import { Figure } from '../../parts/figure.tsx'
import { EmptyNote } from '../../parts/notes.tsx'
import type { Column } from '../../parts/table.tsx'
import type { ServiceRequest } from '../../service/service.ts'
import type { GeneChanges } from './gene-facts.ts'
import { type Share, shareOf, sharesChart } from './shares-chart.ts'

interface GeneFigureProps {
  readonly name: string
  /** Changes, one for each cohort. */
  readonly changes: readonly GeneChanges[]
  readonly cohorts: readonly string[]
  readonly requests: readonly ServiceRequest[]
}

/** Maximum number of projects drawn. The table has all. */
const DRAWN = 30

const MUTATED = 'Mutated of tested cases (%)'
const CHANGED = 'Changed of tested cases (%)'

/** Shows the share of mutated cases by project. */
export function ProjectShares(props: GeneFigureProps & { readonly geneId: string }) {
  const { name, geneId, changes, cohorts, requests } = props
  const { address } = usePlace()
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
  const hrefOf = (share: Share) => formatAddress(toCohort(address, 'cohort', mutatedIn(share)))
  const mutatedIn = (share: Share): Cohort => {
    const within = address.cohorts.find((one) => one.name === share.cohort)
    const own: readonly Filter[] = [
      { op: 'in', content: { field: 'project.project_id', value: [share.name] } },
      { op: 'in', content: { field: 'ssms.consequence.transcript.gene.gene_id', value: [geneId] } },
    ]
    return {
      name: `${name} mutated, ${share.name}`,
      filter: bothOf(within?.filter, ...own),
    }
  }
  const rest = names.length > DRAWN ? `, the ${DRAWN} with the highest shares` : ''
  return (
    <Figure
      title={`In which projects is ${name} mutated?`}
      method={`The share of cases with a simple mutation in ${name}, of those with data on mutations, in ${names.length} projects that have any of these${rest}.`}
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
export function CopyNumbers({ name, changes, cohorts, requests }: GeneFigureProps) {
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
      method={`The share of cases with each change, of the cases with data on copy numbers: ${tested.join(', ')}.`}
      requests={requests}
      columns={columnsOf('Change', 'Cases with it', cohorts)}
      rows={rows}
      fileName={`copy-numbers-${name}`}
      drawnOf={rows}
      draw={(width) => sharesChart({ width, label: CHANGED, shares: rows, cohorts })}
    />
  )
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
