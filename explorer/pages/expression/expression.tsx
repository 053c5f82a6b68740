import { activeCohort } from '../../address/address.ts'
import { usePlace } from '../../address/context.ts'
import { caseFilters } from '../../cohort/case-filters.ts'
import type { SearchAnswer } from '../../cohort/count.ts'
import { Answered } from '../../parts/answered.tsx'
import { counted } from '../../parts/counted.ts'
import { FailedNote } from '../../parts/failed-note.tsx'
import { EmptyNote } from '../../parts/notes.tsx'
import { useTyped } from '../../parts/use-typed.ts'
import type { ServiceRequest } from '../../service/service.ts'
import { useAnswer } from '../../service/use-answer.ts'
import { GroupsView } from './groups-view.tsx'
import { readMatrix } from './matrix.ts'
import { MatrixView } from './matrix-view.tsx'

/** A variable gene in the response of the service. */
interface Selected {
  readonly gene_id: string
  readonly symbol: string
}

interface Selection {
  readonly gene_selection: readonly Selected[]
}

/** Numbers of genes offered for a heat map. */
const SIZES = [25, 50, 100, 200, 500]

/** Page for the most variable genes of the cohort, and for one gene by groups of cases. */
export function ExpressionPage() {
  const { address, change } = usePlace()
  const { query } = address
  const cases = caseFilters(activeCohort(address).filter)
  const size = Number(query.get('size') ?? SIZES[1])
  const named = (query.get('genes') ?? '').split(/[\s,;]+/).filter((name) => name !== '')
  const selection: ServiceRequest = {
    path: '/gene_expression/gene_selection',
    body: { case_filters: cases, gene_type: 'protein_coding', selection_size: size },
  }
  const selected = useAnswer<Selection>(named.length === 0 ? selection : undefined)
  const found = useAnswer<SearchAnswer<Selected>>(
    named.length > 0
      ? {
          path: '/genes',
          query: { fields: 'gene_id,symbol', size: named.length * 2 },
          filters: { op: 'in', content: { field: 'symbol', value: named } },
        }
      : undefined,
  )
  const genes = named.length > 0 ? found.data?.data.hits : selected.data?.gene_selection
  const values: ServiceRequest | undefined =
    genes && genes.length > 0
      ? {
          path: '/gene_expression/values',
          body: {
            case_filters: cases,
            gene_ids: genes.map(({ gene_id }) => gene_id),
            tsv_units: 'median_centered_log2_uqfpkm',
          },
          isTable: true,
        }
      : undefined
  const table = useAnswer<string>(values)
  const choosing = named.length > 0 ? found : selected
  const symbols = new Map(genes?.map(({ gene_id, symbol }) => [gene_id, symbol]))
  const gene = query.get('gene') ?? genes?.[0]?.gene_id
  const typed = useTyped(query.get('genes') ?? '', (text) =>
    change({ genes: text, gene: undefined }),
  )
  return (
    <>
      <form class="controls" onSubmit={(event) => event.preventDefault()}>
        <label>
          Genes by symbol
          <input size={30} placeholder="TP53, EGFR" {...typed} />
        </label>
        {named.length === 0 && (
          <label>
            or the most variable
            <select
              value={size}
              onChange={(event) => change({ size: event.currentTarget.value, gene: undefined })}
            >
              {SIZES.map((count) => (
                <option key={count} value={count}>
                  {counted(count, 'gene')}
                </option>
              ))}
            </select>
          </label>
        )}
      </form>
      {choosing.error && <FailedNote error={choosing.error} />}
      {genes?.length === 0 && (
        <EmptyNote>
          No genes found. The cohort needs cases with expression values, and the genes need known
          symbols. Files alone give none: <code>casemill import expression</code> reads their
          values.
        </EmptyNote>
      )}
      <Answered answer={table}>
        {(text) => {
          const matrix = readMatrix(text)
          return matrix.cases.length === 0 ? (
            <EmptyNote>No case in the cohort has expression values.</EmptyNote>
          ) : (
            <>
              <MatrixView
                text={text}
                matrix={matrix}
                symbols={symbols}
                requests={[...(named.length === 0 ? [selection] : []), ...(values ? [values] : [])]}
              />
              {gene !== undefined && matrix.genes.includes(gene) && (
                <GroupsView
                  genes={matrix.genes}
                  gene={gene}
                  symbols={symbols}
                  choose={(next) => change({ gene: next })}
                />
              )}
            </>
          )
        }}
      </Answered>
    </>
  )
}
