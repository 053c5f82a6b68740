import { formatAddress, onPage, toCohort } from '../../address/address.ts'
import { usePlace } from '../../address/context.ts'
import { caseFilters } from '../../cohort/case-filters.ts'
import { eitherOf } from '../../filter/filter.ts'
import type { Grouping } from '../../groups/group.ts'
import { GroupsNote } from '../../groups/groups-note.tsx'
import { GroupsPicker } from '../../groups/groups-picker.tsx'
import { useMembers } from '../../groups/members.ts'
import { useGroups } from '../../groups/use-groups.ts'
import { Answered } from '../../parts/answered.tsx'
import { counted } from '../../parts/counted.ts'
import { Figure } from '../../parts/figure.tsx'
import { Link } from '../../parts/link.tsx'
import { EmptyNote } from '../../parts/notes.tsx'
import type { Column } from '../../parts/table.tsx'
import type { ServiceRequest } from '../../service/service.ts'
import { useAnswer } from '../../service/use-answer.ts'
import { boxChart } from './box-chart.ts'
import type { Grouped } from './boxes.ts'
import { readMatrix } from './matrix.ts'

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
  const { address } = usePlace()
  const { groups } = grouping
  const names = groups.map(({ name }) => name)
  const caseAt = ({ caseId }: Grouped) => onPage(address, 'case', { id: caseId })
  const doors = {
    groupHref: (name: string) => {
      const filter = groups.find((group) => group.name === name)?.filter
      return formatAddress(toCohort(address, 'cohort', { name, filter }))
    },
    caseHref: (row: Grouped) => formatAddress(caseAt(row)),
  }
  const columns: readonly Column<Grouped>[] = [
    {
      title: 'Case',
      value: ({ caseId }) => caseId,
      show: (row) => <Link to={caseAt(row)}>{row.caseId}</Link>,
    },
    { title: 'Group', value: ({ group }) => group },
    { title: 'Value', value: ({ value }) => value },
  ]
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
                method={`log2(uqfpkm + 1) of ${counted(found, 'case')} with a value. A box is from the first to the third quartile with the median, its whiskers reach 1.5 of its height, dots lie beyond. A box opens its cases, a dot its case.`}
                requests={[...grouping.requests, values]}
                columns={columns}
                rows={rows}
                fileName={`${symbol}-by-group`}
                drawnOf={rows}
                draw={(width) => boxChart(width, { symbol, rows, groups: names, ...doors })}
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
