import { activeCohort, formatAddress, onPage, toCohort } from '../../address/address.ts'
import { usePlace } from '../../address/context.ts'
import { caseFilters } from '../../cohort/case-filters.ts'
import { CHANGES, type Change } from '../../genes/changed-filters.ts'
import { geneNamed, genesIn, useNamedGenes } from '../../genes/named-genes.ts'
import { Answered } from '../../parts/answered.tsx'
import { FailedNote } from '../../parts/failed-note.tsx'
import { Figure } from '../../parts/figure.tsx'
import { Link } from '../../parts/link.tsx'
import { EmptyNote } from '../../parts/notes.tsx'
import { shownP } from '../../parts/shown-p.ts'
import type { Column } from '../../parts/table.tsx'
import { useTyped } from '../../parts/use-typed.ts'
import type { ServiceRequest } from '../../service/service.ts'
import { useAnswer } from '../../service/use-answer.ts'
import { MAX_Q, pairMatrix } from './pair-matrix.ts'
import {
  casesOf,
  cohortOf,
  nameOf,
  type PairsAnswer,
  pairsOf,
  type Side,
  type TestedPair,
} from './pair-tests.ts'

/** Numbers of most changed genes that are offered. */
const SIZES = [5, 10, 20, 50]
/** Maximum number of genes of a request. */
const MAX_GENES = 50

/** Page for pairs of genes: whether their changes exclude each other, or occur together. */
export function PairsPage() {
  const { address, change } = usePlace()
  const { query } = address
  const text = query.get('genes') ?? ''
  const names = genesIn(text)
  const size = Number(query.get('size') ?? SIZES[1])
  const counted = CHANGES.find(([name]) => name === query.get('change'))?.[0] ?? 'ssm'
  const typed = useTyped(text, (genes) => change({ genes }))
  const found = useNamedGenes(names.slice(0, MAX_GENES))
  const genes = names.map((name) => geneNamed(found.data ?? [], name))
  const ids = genes.flatMap((gene) => gene?.gene_id ?? [])
  const unknown = names.slice(0, MAX_GENES).filter((_, place) => genes[place] === undefined)
  const request: ServiceRequest | undefined =
    found.data && !found.isLoading && (names.length === 0 || ids.length > 1)
      ? {
          path: '/analysis/gene_associations',
          body: {
            case_filters: caseFilters(activeCohort(address).filter),
            ...(names.length > 0 ? { gene_ids: ids } : { gene_size: size }),
            change: counted,
          },
        }
      : undefined
  const answer = useAnswer<PairsAnswer>(request)
  return (
    <>
      <form class="controls" onSubmit={(event) => event.preventDefault()}>
        <label>
          Genes by symbol or id
          <input size={30} placeholder="TP53, KRAS, EGFR" {...typed} />
        </label>
        {names.length === 0 && (
          <label>
            or the most changed
            <select value={size} onChange={(event) => change({ size: event.currentTarget.value })}>
              {SIZES.map((count) => (
                <option key={count} value={count}>
                  {count} genes
                </option>
              ))}
            </select>
          </label>
        )}
        <label>
          Changes
          <select
            value={counted}
            onChange={(event) => change({ change: event.currentTarget.value })}
          >
            {CHANGES.map(([name, words]) => (
              <option key={name} value={name}>
                {words}
              </option>
            ))}
          </select>
        </label>
      </form>
      {names.length > MAX_GENES && (
        <EmptyNote>
          The first {MAX_GENES} of {names.length} genes are compared.
        </EmptyNote>
      )}
      {found.error && <FailedNote error={found.error} />}
      {found.data && !found.isLoading && unknown.length > 0 && (
        <EmptyNote>No gene has the symbol or id {unknown.join(', ')}.</EmptyNote>
      )}
      {found.data && !found.isLoading && names.length > 0 && ids.length < 2 && (
        <EmptyNote>Name at least two genes, such as TP53, KRAS.</EmptyNote>
      )}
      {request && (
        <Answered answer={answer}>
          {(data) => <PairsView answer={data} change={counted} request={request} />}
        </Answered>
      )}
    </>
  )
}

interface PairsViewProps {
  readonly answer: PairsAnswer
  readonly change: Change
  readonly request: ServiceRequest
}

function PairsView({ answer, change, request }: PairsViewProps) {
  const { address } = usePlace()
  const active = activeCohort(address)
  const placeOf = (pair: TestedPair, side: Side) =>
    toCohort(address, 'cohort', cohortOf(pair, side, { change, within: active.filter }))
  const pairs = pairsOf(answer)
  const tested = `${answer.tested.toLocaleString('en')} of ${answer.total.toLocaleString('en')} cases of ${active.name}`
  if (pairs.length === 0) {
    return (
      <EmptyNote>
        No pair of genes is changed in the {tested} that were tested for these changes.
      </EmptyNote>
    )
  }
  const sides: readonly (readonly [string, Side])[] = [
    ['Both', 'both'],
    ['Only first', 'first_only'],
    ['Only second', 'second_only'],
    ['Neither', 'neither'],
  ]
  const columns: readonly Column<TestedPair>[] = [
    ...(['first', 'second'] as const).map(
      (which): Column<TestedPair> => ({
        title: which === 'first' ? 'First gene' : 'Second gene',
        value: (pair) => nameOf(pair[which]),
        show: (pair) => (
          <Link to={onPage(address, 'genes', { gene: pair[which].gene_id })}>
            {nameOf(pair[which])}
          </Link>
        ),
      }),
    ),
    ...sides.map(
      ([title, side]): Column<TestedPair> => ({
        title,
        value: (pair) => casesOf(pair, side),
        show: (pair) => (
          <Link to={placeOf(pair, side)}>{casesOf(pair, side).toLocaleString('en')}</Link>
        ),
      }),
    ),
    ...STATISTICS,
  ]
  const sure = pairs.filter(({ q_value: q }) => q <= MAX_Q).length
  return (
    <Figure
      title="Which genes are changed together, and which not?"
      method={`Fisher’s exact test of each pair over the ${tested} that were tested for the changes. q is p adjusted for all ${pairs.length.toLocaleString('en')} pairs (Benjamini and Hochberg): at most ${MAX_Q} in ${sure.toLocaleString('en')} of them. A mark opens the cases with both genes changed, or, for mutual exclusivity, with one changed without the other. The table has the numbers of cases, which are links, too.`}
      requests={[request]}
      columns={columns}
      rows={pairs}
      fileName="gene-pairs"
      drawnOf={answer}
      draw={(width) =>
        pairMatrix({ width, answer, hrefOf: (pair, side) => formatAddress(placeOf(pair, side)) })
      }
    />
  )
}

const power = (value: number | null) => (value === null ? undefined : 2 ** value)

const STATISTICS: readonly Column<TestedPair>[] = [
  { title: 'Tendency', value: ({ tendency }) => tendency },
  { title: 'Odds ratio', value: (pair) => power(pair.log2_odds_ratio) },
  { title: '95 % from', value: ({ lower_95 }) => power(lower_95) },
  { title: '95 % to', value: ({ upper_95 }) => power(upper_95) },
  { title: 'p', value: (pair) => pair.p_value, show: ({ p_value: p }) => shownP(p) },
  { title: 'q', value: (pair) => pair.q_value, show: ({ q_value: q }) => shownP(q) },
]
