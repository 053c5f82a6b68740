import { onPage } from '../../address/address.ts'
import { usePlace } from '../../address/context.ts'
import { fieldName, inYears, shownNumber } from '../../cohort/words.ts'
import { prefixed } from '../../filter/filter.ts'
import { CHANGES } from '../../genes/changed-filters.ts'
import { areApart, type Grouping } from '../../groups/group.ts'
import { effectOf, type GroupTest } from '../../groups/group-test.ts'
import { Answered } from '../../parts/answered.tsx'
import { counted } from '../../parts/counted.ts'
import { FoldedRequests } from '../../parts/figure.tsx'
import { Link } from '../../parts/link.tsx'
import { EmptyNote } from '../../parts/notes.tsx'
import { shownP } from '../../parts/shown-p.ts'
import { type Column, Table } from '../../parts/table.tsx'
import type { ServiceRequest } from '../../service/service.ts'
import { useAnswer } from '../../service/use-answer.ts'

/** A clinical field in the response of `/analysis/compare_fields`. */
interface ComparedField {
  readonly field: string
  readonly kind: string
  readonly groups: readonly {
    readonly cases: number
    readonly median?: number | null
  }[]
  readonly values?: readonly {
    readonly value: string
    readonly counts: readonly number[]
    readonly shares: readonly (number | null)[]
  }[]
  readonly test: GroupTest | null
}

interface FieldsAnswer {
  readonly fields: readonly ComparedField[]
  readonly left_out: readonly { readonly field: string; readonly reason: string }[]
}

/** A gene in the response of `/analysis/enrichment`. */
interface EnrichedGene {
  readonly gene_id: string
  readonly symbol: string | null
  readonly counts: readonly number[]
  readonly shares: readonly (number | null)[]
  readonly test: GroupTest | null
}

interface GenesAnswer {
  readonly groups: readonly { readonly cases: number; readonly tested: number }[]
  readonly genes_total: number
  readonly genes: readonly EnrichedGene[]
}

/** Number of genes that are listed. All are tested. */
const LISTED = 500

interface AllTestsProps {
  readonly grouping: Grouping
}

/** Tests all clinical fields, or all genes, between the groups. Each is asked for on request. */
export function AllTests({ grouping }: AllTestsProps) {
  const { address, change } = usePlace()
  const shown = address.query.get('tests')
  const choose = (name: string) => change({ tests: shown === name ? undefined : name })
  return (
    <section>
      <h2>What differs between the groups?</h2>
      {!areApart(grouping) && (
        <EmptyNote>
          Nothing is tested, because {counted(grouping.shared, 'case is', 'cases are')} in several
          groups. Leave these cases out to see tests.
        </EmptyNote>
      )}
      <p class="actions">
        {ALL.map(([name, text]) => (
          <button
            key={name}
            type="button"
            aria-pressed={shown === name}
            onClick={() => choose(name)}
          >
            {text}
          </button>
        ))}
      </p>
      {shown === 'fields' && <AllFields grouping={grouping} />}
      {shown === 'genes' && <AllGenes grouping={grouping} />}
    </section>
  )
}

const ALL = [
  ['fields', 'All clinical fields'],
  ['genes', 'All genes'],
] as const

const filtersOf = ({ groups }: Grouping) =>
  JSON.stringify(groups.map(({ filter }) => prefixed(filter, 'cases') ?? {}))

function AllFields({ grouping }: AllTestsProps) {
  const request: ServiceRequest = {
    path: '/analysis/compare_fields',
    query: { filters: filtersOf(grouping) },
  }
  const answer = useAnswer<FieldsAnswer>(request)
  const columns: readonly Column<ComparedField>[] = [
    { title: 'Field', value: ({ field }) => field, show: ({ field }) => shownField(field) },
    { title: 'Value', value: (row) => tellingValue(row)?.value ?? 'median' },
    ...grouping.groups.map(
      ({ name }, index): Column<ComparedField> => ({
        title: name,
        value: (row) => summaryOf(row, index),
      }),
    ),
    ...TESTS,
  ]
  return (
    <Answered answer={answer}>
      {({ fields, left_out }) => (
        <>
          <Table
            caption="Clinical fields by p. Of each group, the median, or the cases with the value whose shares differ most, of those with one value of the field."
            columns={columns}
            rows={fields}
            fileName="compared-fields.tsv"
          />
          {left_out.length > 0 && (
            <p class="soft">
              Not compared: {left_out.map(({ field, reason }) => `${field} (${reason})`).join(', ')}
              .
            </p>
          )}
          <FoldedRequests requests={[request]} />
        </>
      )}
    </Answered>
  )
}

function AllGenes({ grouping }: AllTestsProps) {
  const { address, change } = usePlace()
  const kind = CHANGES.find(([name]) => name === address.query.get('change'))?.[0] ?? 'ssm'
  const request: ServiceRequest = {
    path: '/analysis/enrichment',
    query: { filters: filtersOf(grouping), change: kind, size: LISTED },
  }
  const answer = useAnswer<GenesAnswer>(request)
  const columns: readonly Column<EnrichedGene>[] = [
    {
      title: 'Gene',
      value: ({ symbol, gene_id }) => symbol ?? gene_id,
      show: ({ symbol, gene_id }) => (
        <Link to={onPage(address, 'genes', { gene: gene_id })}>{symbol ?? gene_id}</Link>
      ),
    },
    ...grouping.groups.map(
      ({ name }, index): Column<EnrichedGene> => ({
        title: name,
        value: ({ counts, shares }) => `${counts[index] ?? 0}${percentOf(shares[index])}`,
      }),
    ),
    ...TESTS,
  ]
  return (
    <>
      <form class="controls" onSubmit={(event) => event.preventDefault()}>
        <label>
          Cases with
          <select value={kind} onChange={(event) => change({ change: event.currentTarget.value })}>
            {CHANGES.map(([name, text]) => (
              <option key={name} value={name}>
                {text}
              </option>
            ))}
          </select>
        </label>
      </form>
      <Answered answer={answer}>
        {({ groups, genes_total, genes }) => (
          <>
            <Table
              caption={`Changed of tested cases, by p: ${Math.min(LISTED, genes_total).toLocaleString('en')} of ${counted(genes_total, 'gene')}, all of which were tested. Tested cases: ${groups.map(({ tested }, index) => `${tested.toLocaleString('en')} of ${grouping.groups[index]?.name}`).join(', ')}.`}
              columns={columns}
              rows={genes}
              fileName="compared-genes.tsv"
            />
            <FoldedRequests requests={[request]} />
          </>
        )}
      </Answered>
    </>
  )
}

/** Shows the name of a field, and below it the part of a case that has it. */
const shownField = (field: string) => (
  <>
    {fieldName(field)}
    {field.includes('.') && <div class="soft">{field.split('.').slice(0, -1).join(', ')}</div>}
  </>
)

type Values = NonNullable<ComparedField['values']>

/** Returns the value whose shares differ most between the groups. */
function tellingValue({ values = [] }: ComparedField): Values[number] | undefined {
  const spread = ({ shares }: Values[number]) => {
    const known = shares.filter((share) => share !== null)
    return known.length === 0 ? 0 : Math.max(...known) - Math.min(...known)
  }
  // Of equal values, the first.
  return values.toSorted((one, other) => spread(other) - spread(one))[0]
}

/** Sums up a field in one group: `61.2 years`, or the number of cases with the telling value. */
function summaryOf(row: ComparedField, index: number): string {
  const group = row.groups[index]
  if (typeof group?.median === 'number') {
    return `${shownNumber(row.field, group.median)}${unitOf(row)}`
  }
  const value = tellingValue(row)
  return value && group
    ? `${count(value.counts[index] ?? 0)} of ${count(group.cases)}${percentOf(value.shares[index])}`
    : '–'
}

const unitOf = ({ kind, field }: ComparedField) =>
  kind === 'survival' ? ' days' : inYears(field) ? ' years' : ''

const count = (value: number) => value.toLocaleString('en')

const percentOf = (share: number | null | undefined) =>
  typeof share === 'number' ? ` (${(100 * share).toPrecision(3)} %)` : ''

const TESTS: readonly Column<{ readonly test: GroupTest | null }>[] = [
  { title: 'Test', value: ({ test }) => test?.method.replaceAll('_', ' ') ?? '–' },
  {
    title: 'p',
    value: ({ test }) => test?.p_value,
    show: ({ test }) => (test ? shownP(test.p_value) : '–'),
  },
  {
    title: 'q',
    value: ({ test }) => test?.q_value,
    show: ({ test }) => (test ? shownP(test.q_value) : '–'),
  },
  { title: 'Effect (95 %)', value: ({ test }) => (test ? effectOf(test) : '–') },
]
