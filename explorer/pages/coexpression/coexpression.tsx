import { useMemo } from 'preact/hooks'
import { activeCohort, formatAddress, onPage, withQuery } from '../../address/address.ts'
import { usePlace } from '../../address/context.ts'
import { caseFilters } from '../../cohort/case-filters.ts'
import type { SearchAnswer } from '../../cohort/count.ts'
import { Answered } from '../../parts/answered.tsx'
import { counted } from '../../parts/counted.ts'
import { FailedNote } from '../../parts/failed-note.tsx'
import { Figure } from '../../parts/figure.tsx'
import { Link } from '../../parts/link.tsx'
import { EmptyNote } from '../../parts/notes.tsx'
import type { Column } from '../../parts/table.tsx'
import { useTyped } from '../../parts/use-typed.ts'
import type { ServiceRequest } from '../../service/service.ts'
import { useAnswer } from '../../service/use-answer.ts'
import { correlationChart } from './correlation-chart.ts'

/** Response of the service. */
interface GeneCorrelation {
  readonly gene_id: string
  readonly symbol: string | null
  readonly cases: number
  readonly pearson: number | null
  readonly pearson_p_value: number | null
  readonly pearson_adjusted_p_value: number | null
  readonly spearman: number | null
  readonly spearman_p_value: number | null
  readonly spearman_adjusted_p_value: number | null
}

interface Correlations {
  readonly gene_id: string
  readonly cases: number
  readonly genes: readonly GeneCorrelation[]
}

/** Number of strongest correlations that are drawn. */
const DRAWN = 30

/** Page for genes whose expression correlates with a gene in the cohort. */
export function CoexpressionPage() {
  const { address, change } = usePlace()
  const symbol = (address.query.get('gene') ?? '').trim()
  const typed = useTyped(symbol, (gene) => change({ gene }))
  const found = useAnswer<SearchAnswer<{ readonly gene_id: string }>>(
    symbol === ''
      ? undefined
      : {
          path: '/genes',
          query: { fields: 'gene_id', size: 1 },
          filters: { op: 'in', content: { field: 'symbol', value: [symbol] } },
        },
  )
  const geneId = found.data?.data.hits[0]?.gene_id
  const request: ServiceRequest | undefined =
    geneId === undefined || found.isLoading
      ? undefined
      : {
          path: '/gene_expression/coexpression',
          body: { case_filters: caseFilters(activeCohort(address).filter), gene_id: geneId },
        }
  const answer = useAnswer<Correlations>(request)
  return (
    <>
      <form class="controls" onSubmit={(event) => event.preventDefault()}>
        <label>
          Gene by symbol
          <input placeholder="TP53" {...typed} />
        </label>
      </form>
      {symbol === '' && <EmptyNote>Enter a gene, such as TP53.</EmptyNote>}
      {found.error && <FailedNote error={found.error} />}
      {found.data && !found.isLoading && geneId === undefined && (
        <EmptyNote>No gene has the symbol {symbol}. Symbols are written in capitals.</EmptyNote>
      )}
      {request && (
        <Answered answer={answer}>
          {(data) =>
            data.genes.some(({ spearman }) => spearman !== null) ? (
              <CorrelationView data={data} symbol={symbol} request={request} />
            ) : (
              <EmptyNote>
                {counted(data.cases, 'case of the cohort has', 'cases of the cohort have')}{' '}
                expression values. At least three with different values of the gene are needed.
              </EmptyNote>
            )
          }
        </Answered>
      )}
    </>
  )
}

interface CorrelationViewProps {
  readonly data: Correlations
  readonly symbol: string
  readonly request: ServiceRequest
}

function CorrelationView({ data, symbol, request }: CorrelationViewProps) {
  const { address } = usePlace()
  const geneAt = ({ symbol: name, gene_id }: GeneCorrelation) =>
    name === null ? onPage(address, 'genes', { gene: gene_id }) : withQuery(address, { gene: name })
  const bars = useMemo(
    () =>
      data.genes
        .slice(0, DRAWN)
        .flatMap((gene) =>
          gene.spearman === null
            ? []
            : { name: nameOf(gene), value: gene.spearman, href: formatAddress(geneAt(gene)) },
        ),
    [data],
  )
  const columns: readonly Column<GeneCorrelation>[] = [
    {
      title: 'Gene',
      value: nameOf,
      show: (row) => <Link to={geneAt(row)}>{nameOf(row)}</Link>,
    },
    { title: 'Gene id', value: (row) => row.gene_id },
    { title: 'Cases', value: (row) => row.cases },
    { title: 'Spearman', value: numberOf('spearman') },
    { title: 'p', value: numberOf('spearman_p_value') },
    { title: 'Adjusted p', value: numberOf('spearman_adjusted_p_value') },
    { title: 'Pearson', value: numberOf('pearson') },
    { title: 'p of Pearson', value: numberOf('pearson_p_value') },
    { title: 'Adjusted p of Pearson', value: numberOf('pearson_adjusted_p_value') },
  ]
  const tested = data.genes.length.toLocaleString('en')
  return (
    <Figure
      title={`Which genes are expressed together with ${symbol}?`}
      method={`Correlations of log2(uqfpkm + 1) with ${symbol} over the ${counted(data.cases, 'case')} of the cohort with values: the ${bars.length} farthest from 0 of ${tested} genes. A bar opens the correlations of its gene. The table has all of them, with p-values of Student’s distribution, adjusted after Benjamini and Hochberg.`}
      requests={[request]}
      columns={columns}
      rows={data.genes}
      fileName={`coexpression-${symbol}`}
      drawnOf={bars}
      draw={(width) => correlationChart(width, bars)}
    />
  )
}

const nameOf = ({ symbol, gene_id }: GeneCorrelation) => symbol ?? gene_id

type NumberName = Exclude<keyof GeneCorrelation, 'gene_id' | 'symbol'>

const numberOf = (name: NumberName) => (row: GeneCorrelation) => row[name] ?? undefined
