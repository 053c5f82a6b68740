import { boxY, plot, ruleY } from '@observablehq/plot'
import { activeCohort } from '../../address/address.ts'
import { usePlace } from '../../address/context.ts'
import type { SearchAnswer } from '../../cohort/count.ts'
import { fieldName } from '../../cohort/words.ts'
import { Answered } from '../../parts/answered.tsx'
import { Figure } from '../../parts/figure.tsx'
import type { Column } from '../../parts/table.tsx'
import type { ServiceRequest } from '../../service/service.ts'
import { useAnswer } from '../../service/use-answer.ts'
import type { Matrix } from './matrix.ts'

/** Value of the gene in a case of a group. */
interface Grouped {
  readonly caseId: string
  readonly group: string
  readonly value: number
}

interface GroupsViewProps {
  readonly matrix: Matrix
  readonly gene: string
  readonly symbols: ReadonlyMap<string, string>
  readonly choose: (gene: string) => void
  readonly requests: readonly ServiceRequest[]
}

type CaseHit = Readonly<Record<string, unknown>> & { readonly id: string }

const SPLITS = [
  'demographic.gender',
  'primary_site',
  'project.project_id',
  'demographic.vital_status',
]
const MAX_GROUPS = 20

/** Shows one gene's values by groups of cases. */
export function GroupsView({ matrix, gene, symbols, choose, requests }: GroupsViewProps) {
  const { address, change } = usePlace()
  const field = address.query.get('by') ?? 'primary_site'
  const cases: ServiceRequest = {
    path: '/cases',
    query: { fields: field, size: MAX_CASES },
    filters: activeCohort(address).filter,
  }
  const answer = useAnswer<SearchAnswer<CaseHit>>(cases)
  const symbol = symbols.get(gene) ?? gene
  return (
    <>
      <form class="controls">
        <label>
          Gene
          <select value={gene} onChange={(event) => choose(event.currentTarget.value)}>
            {matrix.genes.map((id) => (
              <option key={id} value={id}>
                {symbols.get(id) ?? id}
              </option>
            ))}
          </select>
        </label>
        <label>
          by
          <select value={field} onChange={(event) => change({ by: event.currentTarget.value })}>
            {SPLITS.map((name) => (
              <option key={name} value={name}>
                {fieldName(name)}
              </option>
            ))}
          </select>
        </label>
      </form>
      <Answered answer={answer}>
        {({ data }) => {
          const rows = groupedOf(matrix, gene, groupsOf(data.hits, field))
          const groups = new Set(rows.map(({ group }) => group))
          return (
            <Figure
              title={`${symbol} by ${fieldName(field).toLowerCase()}`}
              method={`log2(uqfpkm + 1) less the gene's median, of ${rows.length.toLocaleString('en')} cases in ${groups.size} groups. A box is from the first to the third quartile with the median, its whiskers reach 1.5 of its height, dots lie beyond.`}
              requests={[cases, ...requests]}
              columns={COLUMNS}
              rows={rows}
              fileName={`${symbol}-by-${field}`}
              drawnOf={rows}
              draw={(width) => boxPlot(width, rows, symbol)}
            />
          )
        }}
      </Answered>
    </>
  )
}

/** Maximum number of hits per search. */
const MAX_CASES = 10_000

/** Returns the group of each case, keyed by id. */
function groupsOf(hits: readonly CaseHit[], field: string): ReadonlyMap<string, string> {
  const path = field.split('.')
  return new Map(
    hits.map((hit) => {
      const value = path.reduce<unknown>(
        (inner, name) =>
          typeof inner === 'object' && inner !== null ? Reflect.get(inner, name) : undefined,
        hit,
      )
      return [hit.id, typeof value === 'string' ? value : 'unknown']
    }),
  )
}

/** Returns the known values of the gene in the largest groups. Groups with the highest median come first. */
function groupedOf(
  { genes, cases, rows }: Matrix,
  gene: string,
  groups: ReadonlyMap<string, string>,
): readonly Grouped[] {
  const row = rows[genes.indexOf(gene)]
  const all = cases.flatMap((caseId, place) => {
    const value = row?.[place] ?? Number.NaN
    const group = groups.get(caseId)
    return Number.isNaN(value) || group === undefined ? [] : [{ caseId, group, value }]
  })
  const byGroup = Map.groupBy(all, ({ group }) => group)
  return [...byGroup.values()]
    .toSorted((one, other) => other.length - one.length)
    .slice(0, MAX_GROUPS)
    .toSorted((one, other) => medianOf(other) - medianOf(one))
    .flat()
}

function medianOf(values: readonly Grouped[]): number {
  const sorted = values.map(({ value }) => value).toSorted((one, other) => one - other)
  const middle = sorted.length / 2
  const [low = 0, high = 0] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]]
  return (low + high) / 2
}

const LONGEST_NAME = 24

const shortened = (name: string) =>
  name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME - 1)}…` : name

function boxPlot(
  width: number,
  rows: readonly Grouped[],
  symbol: string,
): SVGSVGElement | HTMLElement {
  return plot({
    width,
    height: 420,
    marginBottom: 130,
    marginLeft: 90,
    ariaLabel: `Box plots of ${symbol}`,
    x: {
      domain: [...new Set(rows.map(({ group }) => group))],
      label: null,
      tickRotate: -35,
      tickFormat: shortened,
    },
    y: { label: `${symbol}, log2 to the median`, grid: true },
    marks: [
      ruleY([0]),
      boxY(rows, {
        x: 'group',
        y: 'value',
        fill: 'var(--series-1)',
        fillOpacity: 0.35,
        stroke: 'var(--series-1)',
      }),
    ],
  })
}

const COLUMNS: readonly Column<Grouped>[] = [
  { title: 'Case', value: ({ caseId }) => caseId },
  { title: 'Group', value: ({ group }) => group },
  { title: 'Value', value: ({ value }) => value },
]
