import { useEffect, useState } from 'preact/hooks'
import { Figure } from '../../parts/figure.tsx'
import { LoadingNote } from '../../parts/notes.tsx'
import type { Column } from '../../parts/table.tsx'
import type { ServiceRequest } from '../../service/service.ts'
import { clusterOrder } from './cluster.ts'
import { heatMap } from './heat-map.ts'
import { type Matrix, transposed } from './matrix.ts'

interface MatrixViewProps {
  /** Text that the matrix was parsed from. It identifies the matrix. */
  readonly text: string
  readonly matrix: Matrix
  readonly symbols: ReadonlyMap<string, string>
  readonly requests: readonly ServiceRequest[]
}

/** Maximum number of rows or columns that are clustered, because clustering takes quadratic time. */
const MAX_CLUSTERED = 1500
/** Value in log2 units beyond which the colour stays the same. */
const MOST = 2

interface Order {
  readonly text: string
  readonly rows: readonly number[]
  readonly columns: readonly number[]
  readonly isClustered: boolean
}

/** Returns the order of rows and columns. Undefined until it has been computed. */
function useOrder(text: string, matrix: Matrix): Order | undefined {
  const [order, setOrder] = useState<Order>()
  useEffect(() => {
    const leaving = new AbortController()
    orderOf(text, matrix, leaving.signal).then(setOrder, () => {})
    return () => leaving.abort()
  }, [text])
  return order?.text === text ? order : undefined
}

async function orderOf(text: string, matrix: Matrix, signal: AbortSignal): Promise<Order> {
  const { cases } = matrix
  const isClustered = cases.length <= MAX_CLUSTERED
  const rows = await clusterOrder(matrix.rows, signal)
  const columns = isClustered
    ? await clusterOrder(transposed(matrix), signal)
    : cases.map((_, index) => index)
  return { text, rows, columns, isClustered }
}

/** Shows genes by cases as a heat map, with similar genes and similar cases adjacent. */
export function MatrixView({ text, matrix, symbols, requests }: MatrixViewProps) {
  const { genes, cases } = matrix
  const order = useOrder(text, matrix)
  if (order === undefined) return <LoadingNote />
  const nameOf = (row: number) => symbols.get(genes[row] ?? '') ?? genes[row] ?? ''
  const columns: readonly Column<number>[] = [
    { title: 'Gene', value: (row) => nameOf(row) },
    { title: 'Gene id', value: (row) => genes[row] },
    ...order.columns.map((place) => ({
      title: cases[place] ?? '',
      value: (row: number) => {
        const value = matrix.rows[row]?.[place]
        return value === undefined || Number.isNaN(value) ? undefined : value
      },
    })),
  ]
  return (
    <Figure
      title="Expression of genes by cases"
      method={`log2(uqfpkm + 1) less each gene's median, of ${genes.length} genes in the ${cases.length.toLocaleString('en')} cases of the cohort that have values. Genes${order.isClustered ? ' and cases' : ''} are ordered by average linkage over 1 − Pearson's r. Blue is ${MOST} below the median or less, red ${MOST} above or more.`}
      requests={requests}
      columns={columns}
      rows={order.rows}
      fileName="expression"
      drawnOf={order}
      draw={(width) =>
        heatMap(width, {
          rowNames: order.rows.map(nameOf),
          columnCount: cases.length,
          value: (row, column) =>
            matrix.rows[order.rows[row] ?? 0]?.[order.columns[column] ?? 0] ?? Number.NaN,
          most: MOST,
        })
      }
    />
  )
}
