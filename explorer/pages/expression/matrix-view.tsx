import { useEffect, useMemo, useState } from 'preact/hooks'
import { activeCohort, onPage, withCohort, withQuery } from '../../address/address.ts'
import { usePlace } from '../../address/context.ts'
import type { SearchAnswer } from '../../cohort/count.ts'
import { makeSet, setFilter } from '../../cohort/sets.ts'
import { TrackLegend } from '../../cohort/track-legend.tsx'
import { type CaseHit, trackRequest, tracksOf } from '../../cohort/tracks.ts'
import { counted } from '../../parts/counted.ts'
import { Figure } from '../../parts/figure.tsx'
import { Link } from '../../parts/link.tsx'
import { ErrorNote, LoadingNote } from '../../parts/notes.tsx'
import type { Column } from '../../parts/table.tsx'
import { useTask } from '../../parts/use-task.ts'
import { useService } from '../../service/context.ts'
import type { ServiceRequest } from '../../service/service.ts'
import { useAnswer } from '../../service/use-answer.ts'
import { type Clustering, clusterRows } from './cluster.ts'
import type { HeatMap } from './heat-map.ts'
import { heatMapElement } from './heat-map-element.ts'
import type { Spot } from './heat-map-spots.ts'
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
  readonly rows: Clustering
  readonly columns: Clustering
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
  const rows = await clusterRows(matrix.rows, signal)
  const columns = isClustered
    ? await clusterRows(transposed(matrix), signal)
    : { order: cases.map((_, index) => index), branches: [] }
  return { text, rows, columns, isClustered }
}

/** Maximum number of cases whose properties are asked for. */
const MAX_TRACKED = 10_000

/** Shows genes by cases as a heat map, with similar genes and similar cases adjacent. */
export function MatrixView({ text, matrix, symbols, requests }: MatrixViewProps) {
  const { address, go, change } = usePlace()
  const service = useService()
  const { error, run } = useTask()
  const { genes, cases } = matrix
  const order = useOrder(text, matrix)
  const { filter, name: cohortName } = activeCohort(address)
  const about = trackRequest(filter, { total: Number.POSITIVE_INFINITY, cases })
  const { data: found } = useAnswer<SearchAnswer<CaseHit>>(
    cases.length <= MAX_TRACKED ? about : undefined,
  )
  const hits = useMemo(() => new Map(found?.data.hits.map((hit) => [hit.id, hit])), [found])
  const geneName = (row: number) => symbols.get(genes[row] ?? '') ?? genes[row] ?? ''
  const caseName = (place: number) => {
    const name = hits.get(cases[place] ?? '')?.submitter_id
    return typeof name === 'string' ? name : (cases[place] ?? '')
  }
  const numberAt = (row: number, place: number) => matrix.rows[row]?.[place] ?? Number.NaN
  const map = useMemo((): HeatMap | undefined => {
    if (!order) return undefined
    const { rows, columns } = order
    const shown = columns.order.map((place) => cases[place] ?? '')
    return {
      rowNames: rows.order.map(geneName),
      columnNames: columns.order.map(caseName),
      value: (row, column) => numberAt(rows.order[row] ?? 0, columns.order[column] ?? 0),
      most: MOST,
      tracks: tracksOf(shown, hits),
      rowTree: rows.branches,
      columnTree: columns.branches,
    }
  }, [order, hits])
  if (order === undefined || map === undefined) return <LoadingNote />
  const rows = order.rows.order
  const tracks = tracksOf(cases, hits)
  const places = order.columns.order
  const columns: readonly Column<number>[] = [
    {
      title: 'Gene',
      value: geneName,
      show: (row) => (
        <Link to={onPage(address, 'genes', { gene: genes[row] ?? '' })}>{geneName(row)}</Link>
      ),
    },
    { title: 'Gene id', value: (row) => genes[row] },
    ...places.map((place) => ({
      title: cases[place] ?? '',
      value: (row: number) => {
        const value = numberAt(row, place)
        return Number.isNaN(value) ? undefined : value
      },
    })),
  ]
  const describe = (spot: Spot) => {
    if (spot.kind === 'row') return `${map.rowNames[spot.row]}: open the gene`
    if (spot.kind === 'rows') return `${counted(sizeOf(spot), 'gene')}: show them alone`
    if (spot.kind === 'columns') return `${counted(sizeOf(spot), 'case')}: make them a cohort`
    const place = places[spot.column] ?? 0
    const facts = tracks.flatMap(({ values }) => values[place] ?? [])
    const about = `${map.columnNames[spot.column]} (${facts.join(', ')})`
    if (spot.kind === 'column') return about
    const value = map.value(spot.row, spot.column)
    const shown = Number.isNaN(value) ? 'unknown' : value.toFixed(2).replace('-', '−')
    return `${map.rowNames[spot.row]} in ${about}: ${shown}`
  }
  const open = (spot: Spot) => {
    if (spot.kind === 'row') {
      return go((now) => onPage(now, 'genes', { gene: genes[rows[spot.row] ?? 0] ?? '' }))
    }
    if (spot.kind === 'rows') {
      const { from, to } = spot.branch
      return change({ genes: map.rowNames.slice(from, to + 1).join(','), gene: undefined })
    }
    if (spot.kind === 'columns') return keep(spot.branch)
    return go((now) => onPage(now, 'case', { id: cases[places[spot.column] ?? 0] ?? '' }))
  }
  const keep = ({ from, to }: { readonly from: number; readonly to: number }) =>
    run(async () => {
      const value = places.slice(from, to + 1).map((place) => cases[place] ?? '')
      const kept = await makeSet(
        service,
        { op: 'in', content: { field: 'case_id', value } },
        'frozen',
      )
      const cohort = {
        name: `${counted(value.length, 'case')} of ${cohortName} by expression`,
        filter: setFilter(kept),
      }
      go((now) => withQuery(withCohort(now, cohort), { gene: undefined }))
    })
  return (
    <Figure
      title="Which genes vary, and in which cases?"
      method={`log2(uqfpkm + 1) less each gene's median, of ${counted(genes.length, 'gene')} in the ${counted(cases.length, 'case')} of the cohort with values. Genes${order.isClustered ? ' and cases' : ''} are ordered by average linkage over 1 − Pearson's r, as the trees show. Click a cell to open its case, a name to open the gene, a branch of a tree to have its ${order.isClustered ? 'cases as a cohort or its ' : ''}genes alone.`}
      requests={[...requests, ...(found ? [about] : [])]}
      columns={columns}
      rows={rows}
      fileName="expression"
      drawnOf={map}
      draw={(width) => heatMapElement(width, map, { describe, open })}
    >
      {error !== '' && <ErrorNote text={error} />}
      <dl class="legend">
        <TrackLegend tracks={tracks} />
      </dl>
    </Figure>
  )
}

const sizeOf = ({ branch: { from, to } }: Extract<Spot, { readonly branch: unknown }>) =>
  to - from + 1
