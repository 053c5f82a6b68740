import { activeCohort, formatAddress, onPage } from '../../address/address.ts'
import { usePlace } from '../../address/context.ts'
import type { SearchAnswer } from '../../cohort/count.ts'
import { bothOf, prefixed } from '../../filter/filter.ts'
import { Answered } from '../../parts/answered.tsx'
import { counted } from '../../parts/counted.ts'
import { FailedNote } from '../../parts/failed-note.tsx'
import { Figure } from '../../parts/figure.tsx'
import { EmptyNote, ErrorNote, LoadingNote } from '../../parts/notes.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { useTyped } from '../../parts/use-typed.ts'
import type { ServiceRequest } from '../../service/service.ts'
import { useAnswer } from '../../service/use-answer.ts'
import { cellChart } from './cell-chart.ts'
import { groupChart } from './group-chart.ts'
import { type AnnotationsAnswer, type GroupSummary, groupSummaries } from './groups.ts'
import { type CellsAnswer, type GeneSummary, summaryOf } from './summary.ts'

interface FileHit {
  readonly id: string
  readonly file_name: string
  readonly access: string
  readonly cases?: readonly { readonly submitter_id: string }[]
}

interface GeneHit {
  readonly gene_id: string
  readonly symbol: string
}

const IS_SINGLE_CELL = { op: 'in', content: { field: 'data_format', value: ['HDF5'] } }
/** Maximum number of files in the list. Users narrow it by their cohort. Open files with many cells come first. */
const MAX_FILES = 200
/** Maximum number of genes, as the service allows. */
const MAX_GENES = 10

/** Page for the expression of genes in the cells of one file. */
export function CellsPage() {
  const { address, change } = usePlace()
  const { query } = address
  const typed = useTyped(query.get('genes') ?? '', (genes) => change({ genes }))
  const cohort = prefixed(activeCohort(address).filter, 'cases')
  const files = useAnswer<SearchAnswer<FileHit>>({
    path: '/files',
    query: {
      fields: 'file_name,access,cases.submitter_id',
      size: MAX_FILES,
      sort: 'access:desc,file_size:desc',
    },
    filters: bothOf(IS_SINGLE_CELL, cohort),
  })
  const fileId = query.get('file') ?? files.data?.data.hits[0]?.id
  const names = (query.get('genes') ?? '').split(/[\s,;]+/).filter((name) => name !== '')
  const found = useAnswer<SearchAnswer<GeneHit>>(
    names.length === 0
      ? undefined
      : {
          path: '/genes',
          query: { fields: 'gene_id,symbol', size: names.length * 2 },
          filters: {
            op: 'or',
            content: ['symbol', 'gene_id'].map((field) => ({
              op: 'in',
              content: { field, value: names },
            })),
          },
        },
  )
  const genes = (names.length > 0 ? found.data?.data.hits : undefined)?.slice(0, MAX_GENES)
  const request: ServiceRequest | undefined =
    fileId !== undefined && genes && genes.length > 0
      ? {
          path: '/scrna_seq/gene_expression',
          body: { file_id: fileId, gene_ids: genes.map(({ gene_id }) => gene_id) },
        }
      : undefined
  const cells = useAnswer<CellsAnswer>(request)
  const by = query.get('by')
  const annotations = useAnswer<AnnotationsAnswer>(annotationsRequest(fileId))
  const groupRequest = by === undefined ? undefined : annotationsRequest(fileId, by)
  const groups = useAnswer<AnnotationsAnswer>(groupRequest)
  return (
    <>
      <form class="controls" onSubmit={(event) => event.preventDefault()}>
        <label>
          File
          <select
            value={fileId}
            onChange={(event) => change({ file: event.currentTarget.value, by: undefined })}
          >
            {files.data?.data.hits.map(({ id, file_name, access, cases = [] }) => (
              <option key={id} value={id}>
                {`${cases[0]?.submitter_id ?? 'no case'}, ${access}: ${file_name}`}
              </option>
            ))}
          </select>
        </label>
        <label>
          Genes by symbol or id, at most {MAX_GENES}
          <input size={30} placeholder="TP53, EGFR" {...typed} />
        </label>
        <label>
          Cells
          <select value={by ?? ''} onChange={(event) => change({ by: event.currentTarget.value })}>
            <option value="">all together</option>
            {annotations.data?.data.annotations.map(({ name }) => (
              <option key={name} value={name}>
                by {name}
              </option>
            ))}
          </select>
        </label>
      </form>
      {annotations.data?.data.annotations.length === 0 && (
        <p class="soft">This file has no cell annotations to group by.</p>
      )}
      {groups.error && <FailedNote error={groups.error} />}
      {files.error && <FailedNote error={files.error} />}
      {found.error && <FailedNote error={found.error} />}
      {files.data?.data.pagination.total === 0 && (
        <EmptyNote>No case in the cohort has a single-cell file.</EmptyNote>
      )}
      {names.length === 0 && <EmptyNote>Enter the genes to show.</EmptyNote>}
      {genes?.length === 0 && <EmptyNote>No genes with these names in this release.</EmptyNote>}
      {!found.data && found.isLoading && <LoadingNote />}
      <Answered answer={cells}>
        {({ data, errors = [] }) => {
          const symbols = new Map(genes?.map(({ gene_id, symbol }) => [gene_id, symbol]))
          const nameOf = (gene: string) => symbols.get(gene) ?? gene
          const hrefOf = ({ name }: GeneSummary) =>
            formatAddress(onPage(address, 'genes', { gene: name }))
          const known = data.filter((one) => one.cells.length > 0)
          const shown = known.map((one) => summaryOf(nameOf(one.gene_id), one))
          const annotation = by === undefined ? undefined : groups.data?.data.annotation
          const grouped = annotation
            ? known.map((one) => groupSummaries(nameOf(one.gene_id), one, annotation))
            : undefined
          return (
            <>
              {errors.map((error) => (
                <ErrorNote key={JSON.stringify(error)} text={messageOf(error)} />
              ))}
              {!groups.data && groups.isLoading && <LoadingNote />}
              {grouped && grouped.length > 0 && (
                <GroupsFigure
                  grouped={grouped}
                  by={by ?? ''}
                  hrefOf={hrefOf}
                  requests={[
                    ...(request ? [request] : []),
                    ...(groupRequest ? [groupRequest] : []),
                  ]}
                />
              )}
              {by === undefined && shown.length > 0 && (
                <Figure
                  title="How many cells express the genes?"
                  method={`Numbers of ${counted(shown[0]?.values.length ?? 0, 'cell')} of the file, as it has them. A bar counts the cells of an interval that express the gene; those with zero are told beside the name. A bar opens its gene.`}
                  requests={request ? [request] : []}
                  columns={COLUMNS}
                  rows={shown}
                  fileName="cells"
                  drawnOf={data}
                  draw={(width) => cellChart(width, shown, hrefOf)}
                />
              )}
              {by === undefined && shown.length > 1 && (
                <Table
                  caption="Genes"
                  columns={COLUMNS}
                  rows={shown}
                  fileName="genes-in-cells.tsv"
                />
              )}
            </>
          )
        }}
      </Answered>
    </>
  )
}

interface GroupsFigureProps {
  /** Summaries by group, for each gene. */
  readonly grouped: readonly (readonly GroupSummary[])[]
  readonly by: string
  readonly hrefOf: (gene: GeneSummary) => string
  readonly requests: readonly ServiceRequest[]
}

/** Maximum number of columns that remain readable. The table has all groups. */
const MAX_COLUMNS = 16

function GroupsFigure({ grouped, by, hrefOf, requests }: GroupsFigureProps) {
  const first = grouped[0] ?? []
  const cells = first.reduce((sum, { values }) => sum + values.length, 0)
  const columns = grouped.map((groups) => groups.slice(0, MAX_COLUMNS))
  const left =
    first.length > MAX_COLUMNS
      ? ` The picture has the first ${MAX_COLUMNS} of ${first.length} groups.`
      : ''
  return (
    <Figure
      title={`Which cells express the genes, by ${by}?`}
      method={`Numbers of ${counted(cells, 'cell')} of the file, as it has them. The groups are the values of the file's annotation “${by}” of its cells. The wider a violin, the larger the part of the group's cells with about this number (a Gaussian kernel over the cells that express the gene); all violins of a gene are on one scale. Lines are medians of these cells. Cells with zero would hide the others: which part they are stands below. A violin opens its gene.${left}`}
      requests={requests}
      columns={GROUP_COLUMNS}
      rows={grouped.flat()}
      fileName={`cells-by-${by}`}
      drawnOf={JSON.stringify(requests)}
      draw={(width) => groupChart(width, columns, { by, hrefOf })}
    />
  )
}

const annotationsRequest = (
  fileId: string | undefined,
  annotation?: string,
): ServiceRequest | undefined =>
  fileId === undefined
    ? undefined
    : {
        path: '/scrna_seq/cell_annotations',
        body: { file_id: fileId, ...(annotation !== undefined && { annotation }) },
      }

function messageOf(error: unknown): string {
  if (typeof error === 'string') return error
  const message = typeof error === 'object' && error !== null ? Reflect.get(error, 'message') : ''
  return typeof message === 'string' && message !== '' ? message : JSON.stringify(error)
}

const COLUMNS: readonly Column<GeneSummary>[] = [
  { title: 'Gene', value: ({ name }) => name },
  { title: 'Cells', value: ({ values }) => values.length },
  { title: 'Cells that express it', value: ({ expressing }) => expressing },
  { title: 'Mean of these', value: ({ mean }) => mean },
  { title: 'Median of these', value: ({ median }) => median },
  { title: 'Highest', value: ({ highest }) => highest },
]

const GROUP_COLUMNS: readonly Column<GroupSummary>[] = [
  { title: 'Gene', value: ({ name }) => name },
  { title: 'Group', value: ({ group }) => group },
  ...COLUMNS.slice(1),
]
