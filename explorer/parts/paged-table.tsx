import { type Column, Table } from './table.tsx'

/** Rows per page. */
export const PAGE_SIZE = 20

interface PagedTableProps<Row> {
  /** Name of the rows, such as "Cases". */
  readonly name: string
  readonly columns: readonly Column<Row>[]
  /** Rows of this page. */
  readonly rows: readonly Row[]
  /** Position of the first row among all. */
  readonly from: number
  readonly total: number
  /** Opens the page that begins at a position of the URL. Undefined is the first page, which the URL omits. */
  readonly open: (from: string | undefined) => void
}

/** Shows one page of a table, with buttons for the previous and next page. */
export function PagedTable<Row>({ name, columns, rows, from, total, open }: PagedTableProps<Row>) {
  const step = (to: number) => open(to <= 0 ? undefined : String(to))
  return (
    <>
      <Table
        caption={`${name} ${from + 1} to ${from + rows.length} of ${total.toLocaleString('en')}`}
        columns={columns}
        rows={rows}
      />
      <p class="actions">
        <button type="button" disabled={from === 0} onClick={() => step(from - PAGE_SIZE)}>
          Previous page
        </button>
        <button
          type="button"
          disabled={from + PAGE_SIZE >= total}
          onClick={() => step(from + PAGE_SIZE)}
        >
          Next page
        </button>
      </p>
    </>
  )
}
