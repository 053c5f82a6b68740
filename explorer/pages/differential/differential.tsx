import { useMemo } from 'preact/hooks'
import { formatAddress, onPage } from '../../address/address.ts'
import { usePlace } from '../../address/context.ts'
import { caseFilters } from '../../cohort/case-filters.ts'
import type { Group } from '../../groups/group.ts'
import { GroupsNote } from '../../groups/groups-note.tsx'
import { GroupsPicker } from '../../groups/groups-picker.tsx'
import { splitOf } from '../../groups/split.ts'
import { useGroups } from '../../groups/use-groups.ts'
import { Answered } from '../../parts/answered.tsx'
import { counted } from '../../parts/counted.ts'
import { Figure } from '../../parts/figure.tsx'
import { Link } from '../../parts/link.tsx'
import { EmptyNote } from '../../parts/notes.tsx'
import type { Column } from '../../parts/table.tsx'
import type { ServiceRequest } from '../../service/service.ts'
import { useAnswer } from '../../service/use-answer.ts'
import { isDifferent, MAX_ADJUSTED, MIN_CHANGE, volcano } from './volcano.ts'

/** Response of the service. */
interface GeneDifference {
  readonly gene_id: string
  readonly symbol: string | null
  readonly log2_uqfpkm_median: number | null
  readonly other_log2_uqfpkm_median: number | null
  readonly log2_fold_change: number | null
  readonly p_value: number | null
  readonly adjusted_p_value: number | null
}

interface Differences {
  readonly cases: number
  readonly other_cases: number
  readonly genes: readonly GeneDifference[]
}

/** Page for genes that are expressed differently in two groups of cases. */
export function DifferentialPage() {
  const { address } = usePlace()
  const grouping = useGroups()
  return (
    <>
      <GroupsPicker />
      <Answered answer={grouping}>
        {(made) => {
          const isSplit = splitOf(address).by !== 'cohorts'
          return (
            <>
              {isSplit && <GroupsNote grouping={made} />}
              <TwoGroups groups={made.groups} first={isSplit ? 0 : address.at} isSplit={isSplit} />
            </>
          )
        }}
      </Answered>
    </>
  )
}

interface TwoGroupsProps {
  readonly groups: readonly Group[]
  /** Index of the group that is compared, unless another one is chosen. */
  readonly first: number
  /** Whether the groups are parts of one cohort. They are compared with each other first. */
  readonly isSplit: boolean
}

function TwoGroups({ groups, first, isSplit }: TwoGroupsProps) {
  const { address, change } = usePlace()
  const { query } = address
  const of = indexIn(groups, query.get('of')) ?? first
  const one = groups[of]
  const usual = isSplit ? (of === 0 ? 1 : 0) : undefined
  const chosen =
    query.get('with') === 'others' ? undefined : (indexIn(groups, query.get('with')) ?? usual)
  const other = chosen === undefined || chosen === of ? undefined : groups[chosen]
  const request: ServiceRequest | undefined =
    one?.filter || other
      ? {
          path: '/gene_expression/differential',
          body: {
            case_filters: caseFilters(one?.filter),
            ...(other && { other_case_filters: caseFilters(other.filter) }),
          },
        }
      : undefined
  const answer = useAnswer<Differences>(request)
  if (!one) return <EmptyNote>There are no groups to compare.</EmptyNote>
  return (
    <>
      <form class="controls" onSubmit={(event) => event.preventDefault()}>
        {isSplit && (
          <label>
            Genes of
            <select
              value={String(of)}
              onChange={(event) => change({ of: event.currentTarget.value, with: undefined })}
            >
              {groups.map(({ name }, index) => (
                <option key={name} value={String(index)}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        )}
        <label>
          {one.name} compared with
          <select
            value={other ? String(chosen) : 'others'}
            onChange={(event) => change({ with: event.currentTarget.value })}
          >
            <option value="others">all other cases</option>
            {groups.map(
              ({ name }, index) =>
                index !== of && (
                  <option key={name} value={String(index)}>
                    {name}
                  </option>
                ),
            )}
          </select>
        </label>
      </form>
      {!request && (
        <EmptyNote>
          There are no other cases to compare with.{' '}
          <Link to={onPage(address, 'cohort')}>Choose a cohort</Link> first.
        </EmptyNote>
      )}
      {other && one.shared > 0 && other.shared > 0 && (
        <p class="note">
          The groups may share cases. A case that is in both counts only in {one.name}.
        </p>
      )}
      <Answered answer={answer}>
        {(data) =>
          data.genes.length === 0 ? (
            <EmptyNote>
              {counted(data.cases, 'case')} of {one.name} and {counted(data.other_cases, 'other')}{' '}
              have expression values. Both groups need some.
            </EmptyNote>
          ) : (
            <Volcano data={data} request={request} names={[one.name, other?.name ?? 'others']} />
          )
        }
      </Answered>
    </>
  )
}

/** Returns the index of a group that the address names. Undefined if there is no such group. */
function indexIn(groups: readonly Group[], text: string | undefined): number | undefined {
  const index = text === undefined ? -1 : Number(text)
  return index in groups ? index : undefined
}

interface VolcanoProps {
  readonly data: Differences
  readonly request: ServiceRequest | undefined
  readonly names: readonly [string, string]
}

function Volcano({ data, request, names }: VolcanoProps) {
  const { address } = usePlace()
  const geneAt = ({ symbol, gene_id }: Pick<GeneDifference, 'symbol' | 'gene_id'>) =>
    symbol === null
      ? onPage(address, 'genes', { gene: gene_id })
      : onPage(address, 'expression', { genes: symbol })
  const genes = useMemo(
    () =>
      data.genes.flatMap(({ gene_id, symbol, log2_fold_change, p_value, adjusted_p_value }) =>
        p_value === null || log2_fold_change === null
          ? []
          : {
              name: symbol ?? gene_id,
              change: log2_fold_change,
              pValue: p_value,
              adjusted: adjusted_p_value ?? 1,
              href: formatAddress(geneAt({ symbol, gene_id })),
            },
      ),
    [data],
  )
  const higher = genes.filter((gene) => isDifferent(gene) && gene.change > 0).length
  const lower = genes.filter((gene) => isDifferent(gene) && gene.change < 0).length
  const columns: readonly Column<GeneDifference>[] = [
    {
      title: 'Gene',
      value: ({ symbol, gene_id }) => symbol ?? gene_id,
      show: (gene) => <Link to={geneAt(gene)}>{gene.symbol ?? gene.gene_id}</Link>,
    },
    { title: 'Gene id', value: (row) => row.gene_id },
    { title: `Median, ${names[0]}`, value: numberOf('log2_uqfpkm_median') },
    { title: `Median, ${names[1]}`, value: numberOf('other_log2_uqfpkm_median') },
    { title: 'log2 fold change', value: numberOf('log2_fold_change') },
    { title: 'p', value: numberOf('p_value') },
    { title: 'Adjusted p', value: numberOf('adjusted_p_value') },
  ]
  const count = (value: number) => value.toLocaleString('en')
  return (
    <Figure
      title={`Which genes differ between ${names[0]} and ${names[1]}?`}
      method={`Wilcoxon’s rank-sum test of ${counted(genes.length, 'gene')}, ${counted(data.cases, 'case')} against ${count(data.other_cases)}, p-values adjusted by the method of Benjamini and Hochberg. The fold change is the mean of log2(uqfpkm + 1) less that of the others. Coloured genes have an adjusted p of at most ${MAX_ADJUSTED} and a change of at least ${MIN_CHANGE}. A dot opens its gene.`}
      requests={request ? [request] : []}
      columns={columns}
      rows={data.genes}
      fileName="differential-expression"
      drawnOf={genes}
      draw={(width) => volcano(width, genes)}
    >
      <p class="result">
        {counted(higher, 'gene is', 'genes are')} higher in {names[0]}, {count(lower)} lower.
      </p>
    </Figure>
  )
}

type NumberName = Exclude<keyof GeneDifference, 'gene_id' | 'symbol'>

const numberOf = (name: NumberName) => (row: GeneDifference) => row[name] ?? undefined
