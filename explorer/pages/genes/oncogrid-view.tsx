import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import { type Address, activeCohort, onPage, withQuery } from '../../address/address.ts'
import { usePlace } from '../../address/context.ts'
import type { SearchAnswer } from '../../cohort/count.ts'
import { TrackLegend } from '../../cohort/track-legend.tsx'
import { type CaseHit, type Track, trackRequest, tracksOf } from '../../cohort/tracks.ts'
import { counted } from '../../parts/counted.ts'
import { Figure } from '../../parts/figure.tsx'
import { Link } from '../../parts/link.tsx'
import { canvasPng } from '../../parts/save.ts'
import type { Column } from '../../parts/table.tsx'
import type { ServiceRequest } from '../../service/service.ts'
import { useAnswer } from '../../service/use-answer.ts'
import { CLASS_NAMES, COPY_CLASSES, consequenceName, MUTATION_CLASSES } from './change-classes.ts'
import { cellsOf, drawnCells, type GridCell, geneName, type OncogridAnswer } from './oncogrid.ts'
import { type GridSpot, oncogridElement, wholeGrid } from './oncogrid-element.ts'
import type { GridPicture } from './oncogrid-paint.ts'
import { percent } from './shares-chart.ts'

interface OncogridViewProps {
  readonly answer: OncogridAnswer
  readonly request: ServiceRequest
  /** Controls for the choice of genes. */
  readonly children: ComponentChildren
}

/** Shows genes by cases, with properties of the cases above. */
export function OncogridView({ answer, request, children }: OncogridViewProps) {
  const { address, go, change } = usePlace()
  const active = activeCohort(address)
  const about = trackRequest(active.filter, answer)
  const { data: found } = useAnswer<SearchAnswer<CaseHit>>(about)
  const hits = useMemo(() => new Map(found?.data.hits.map((hit) => [hit.id, hit])), [found])
  const cells = useMemo(() => cellsOf(answer), [answer])
  const tracks = useMemo(() => tracksOf(answer.cases, hits), [answer, hits])
  const by = address.query.get('order') ?? ''
  const picture = useMemo(
    (): GridPicture => ({
      genes: answer.genes.map((gene) => ({
        name: geneName(gene),
        share: answer.ssm_tested === 0 ? '' : percent(gene.ssm_cases / answer.ssm_tested),
      })),
      cells: drawnCells(cells, answer.cases.length),
      order: orderOf(
        answer.cases.length,
        tracks.find(({ field }) => field === by),
      ),
      tracks,
    }),
    [answer, cells, tracks, by],
  )
  const caseName = (place: number) => {
    const id = answer.cases[place] ?? ''
    const name = hits.get(id)?.submitter_id
    return typeof name === 'string' ? name : id
  }
  const geneAt = (place: number) => picture.genes[place]?.name ?? ''
  const atCase = (from: Address, place: number) =>
    onPage(from, 'case', { id: answer.cases[place] ?? '' })
  const describe = ({ column, gene }: GridSpot) => {
    if (column === undefined) return `${geneAt(gene)}: open the gene`
    const place = picture.order[column] ?? 0
    const cell = cells.find((one) => one.case === place && one.gene === gene)
    const facts = tracks.flatMap(({ values }) => values[place] ?? [])
    return `${geneAt(gene)} in ${caseName(place)} (${facts.join(', ')}): ${cell ? textOf(cell) : 'no change'}`
  }
  const columns: readonly Column<GridCell>[] = [
    {
      title: 'Gene',
      value: ({ gene }) => geneAt(gene),
      show: ({ gene }) => (
        <Link to={withQuery(address, { gene: answer.genes[gene]?.gene_id })}>{geneAt(gene)}</Link>
      ),
    },
    {
      title: 'Case',
      value: (cell) => caseName(cell.case),
      show: (cell) => <Link to={atCase(address, cell.case)}>{caseName(cell.case)}</Link>,
    },
    { title: 'Mutations', value: ({ mutations }) => mutations },
    {
      title: 'Consequences',
      value: ({ consequences }) => consequences.map(consequenceName).join(', '),
    },
    { title: 'Copy number', value: ({ copies }) => copies.join(', ') },
    ...tracks.map(({ title, values }) => ({
      title,
      value: (cell: GridCell) => values[cell.case],
    })),
  ]
  const count = (value: number) => value.toLocaleString('en')
  const rest =
    answer.cases_total > answer.cases.length
      ? `, the first ${count(answer.cases.length)} of them`
      : ''
  return (
    <Figure
      title={
        address.cohorts.length > 1
          ? `Which cases of ${active.name} have which changes?`
          : 'Which cases have which changes?'
      }
      method={`Mutations and copy numbers of the ${counted(answer.genes.length, 'gene')} mutated in the most cases, in the ${counted(answer.cases_total, 'case')} with any${rest}, of ${count(answer.total)} in the cohort. Cases are ordered by the first gene in which they differ. The share to the right is of the ${count(answer.ssm_tested)} cases with data on mutations; ${count(answer.cnv_tested)} have data on copy numbers. A gene’s name opens the gene, a cell its case.`}
      requests={[request, about]}
      columns={columns}
      rows={cells}
      fileName="oncogrid"
      drawnOf={picture}
      draw={(width) =>
        oncogridElement(width, picture, {
          describe,
          open: ({ column, gene }) =>
            column === undefined
              ? change({ gene: answer.genes[gene]?.gene_id })
              : go((now) => atCase(now, picture.order[column] ?? 0)),
        })
      }
      png={(width) => canvasPng(wholeGrid(width, picture))}
    >
      <form class="controls">
        {children}
        <label>
          Cases in the order of
          <select value={by} onChange={(event) => change({ order: event.currentTarget.value })}>
            <option value="">their mutations</option>
            {tracks.map(({ field, title }) => (
              <option key={field} value={field}>
                {title.toLowerCase()}
              </option>
            ))}
          </select>
        </label>
      </form>
      <Legend tracks={tracks} />
    </Figure>
  )
}

const textOf = ({ consequences, copies }: GridCell) =>
  [...consequences.map(consequenceName), ...copies.map((change) => change.toLowerCase())].join(', ')

/** Returns the order of cases: by a track, or as in the response. The sort is stable. */
function orderOf(cases: number, track: Track | undefined): Uint32Array {
  const order = Array.from({ length: cases }, (_, place) => place)
  if (!track) return Uint32Array.from(order)
  const rankOf = (place: number) => track.ranks[place] ?? Number.POSITIVE_INFINITY
  const compare = (one: number, other: number) => (one === other ? 0 : one < other ? -1 : 1)
  return Uint32Array.from(order.sort((a, b) => compare(rankOf(a), rankOf(b))))
}

function Legend({ tracks }: { readonly tracks: readonly Track[] }) {
  return (
    <dl class="legend">
      <div>
        <dt>Mutation</dt>
        <dd>
          {MUTATION_CLASSES.map((name) => (
            <span key={name}>
              <span class={`key ${name}`} />
              {CLASS_NAMES[name]}
            </span>
          ))}
        </dd>
      </div>
      <div>
        <dt>Copy number</dt>
        <dd>
          {COPY_CLASSES.map((name) => (
            <span key={name}>
              <span class={`key ${name}`} />
              {CLASS_NAMES[name]}
            </span>
          ))}
        </dd>
      </div>
      <TrackLegend tracks={tracks} />
    </dl>
  )
}
