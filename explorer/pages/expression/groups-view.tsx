import { boxY, plot } from '@observablehq/plot'
import { caseFilters } from '../../cohort/case-filters.ts'
import { eitherOf } from '../../filter/filter.ts'
import type { Grouping } from '../../groups/group.ts'
import { GroupsNote } from '../../groups/groups-note.tsx'
import { GroupsPicker } from '../../groups/groups-picker.tsx'
import { useMembers } from '../../groups/members.ts'
import { useGroups } from '../../groups/use-groups.ts'
import { Answered } from '../../parts/answered.tsx'
import { Figure } from '../../parts/figure.tsx'
import { SERIES_COLORS } from '../../parts/legend.ts'
import { EmptyNote } from '../../parts/notes.tsx'
import type { Column } from '../../parts/table.tsx'
import type { ServiceRequest } from '../../service/service.ts'
import { useAnswer } from '../../service/use-answer.ts'
import { readMatrix } from './matrix.ts'

/** Value of the gene in a case of a group. */
interface Grouped {
  readonly caseId: string
  readonly group: string
  /** log2(uqfpkm + 1) */
  readonly value: number
}

interface GroupsViewProps {
  /** Ids of the genes that can be chosen. */
  readonly genes: readonly string[]
  readonly gene: string
  readonly symbols: ReadonlyMap<string, string>
  readonly choose: (gene: string) => void
}

/** Shows one gene's values by groups of cases. */
export function GroupsView({ genes, gene, symbols, choose }: GroupsViewProps) {
  const grouping = useGroups()
  return (
    <>
      <GroupsPicker>
        <label>
          Gene of the boxes
          <select value={gene} onChange={(event) => choose(event.currentTarget.value)}>
            {genes.map((id) => (
              <option key={id} value={id}>
                {symbols.get(id) ?? id}
              </option>
            ))}
          </select>
        </label>
      </GroupsPicker>
      <Answered answer={grouping}>
        {(made) => (
          <>
            <GroupsNote grouping={made} />
            <Boxes grouping={made} gene={gene} symbol={symbols.get(gene) ?? gene} />
          </>
        )}
      </Answered>
    </>
  )
}

interface BoxesProps {
  readonly grouping: Grouping
  readonly gene: string
  readonly symbol: string
}

function Boxes({ grouping, gene, symbol }: BoxesProps) {
  const { groups } = grouping
  const values: ServiceRequest = {
    path: '/gene_expression/values',
    body: {
      case_filters: caseFilters(eitherOf(groups.map(({ filter }) => filter))),
      gene_ids: [gene],
      tsv_units: 'uqfpkm',
    },
    isTable: true,
  }
  const table = useAnswer<string>(values)
  const members = useMembers(groups)
  return (
    <Answered answer={table}>
      {(text) => (
        <Answered answer={members}>
          {(ids) => {
            const rows = groupedOf(text, grouping, ids)
            if (rows.length === 0) {
              return <EmptyNote>No case of the groups has a value of {symbol}.</EmptyNote>
            }
            const found = new Set(rows.map(({ caseId }) => caseId)).size
            return (
              <Figure
                title={`${symbol} by group`}
                method={`log2(uqfpkm + 1) of ${found.toLocaleString('en')} cases with a value. A box is from the first to the third quartile with the median, its whiskers reach 1.5 of its height, dots lie beyond.`}
                requests={[...grouping.requests, values]}
                columns={COLUMNS}
                rows={rows}
                fileName={`${symbol}-by-group`}
                drawnOf={rows}
                draw={(width) => boxPlot(width, rows, { symbol, grouping })}
              />
            )
          }}
        </Answered>
      )}
    </Answered>
  )
}

/** Returns the known values of each group. A case of several groups counts in each of them. */
function groupedOf(
  text: string,
  { groups }: Grouping,
  ids: readonly (readonly string[])[],
): readonly Grouped[] {
  const { cases, rows } = readMatrix(text)
  const values = new Map(cases.map((id, place) => [id, rows[0]?.[place] ?? Number.NaN]))
  return groups.flatMap(({ name: group }, index) =>
    (ids[index] ?? []).flatMap((caseId) => {
      const value = values.get(caseId) ?? Number.NaN
      return Number.isNaN(value) ? [] : [{ caseId, group, value: Math.log2(value + 1) }]
    }),
  )
}

const LONGEST_NAME = 24
/** Width of a box with its space, in CSS pixels. */
const WIDEST_BOX = 140

const shortened = (name: string) =>
  name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME - 1)}…` : name

interface BoxPlot {
  readonly symbol: string
  readonly grouping: Grouping
}

function boxPlot(
  width: number,
  rows: readonly Grouped[],
  { symbol, grouping: { groups } }: BoxPlot,
): SVGSVGElement | HTMLElement {
  const names = groups.map(({ name }) => name)
  const colorOf = ({ group }: Grouped) =>
    SERIES_COLORS[names.indexOf(group) % SERIES_COLORS.length] ?? 'currentColor'
  return plot({
    // Few boxes on the whole width would be bars.
    width: Math.min(width, 130 + WIDEST_BOX * names.length),
    height: 420,
    marginBottom: 130,
    marginLeft: 90,
    ariaLabel: `Box plots of ${symbol}`,
    x: { domain: names, label: null, tickRotate: -35, tickFormat: shortened },
    y: { label: `${symbol}, log2(uqfpkm + 1)`, grid: true },
    marks: [
      boxY(rows, {
        x: 'group',
        y: 'value',
        fill: colorOf,
        fillOpacity: 0.35,
        stroke: colorOf,
      }),
    ],
  })
}

const COLUMNS: readonly Column<Grouped>[] = [
  { title: 'Case', value: ({ caseId }) => caseId },
  { title: 'Group', value: ({ group }) => group },
  { title: 'Value', value: ({ value }) => value },
]
