import { type Column, type Sorting, Table } from './table.tsx'

interface PagedTableProps<Row> {
  /** Name of the rows, such as "Cases". */
  readonly name: string
  readonly columns: readonly Column<Row>[]
  /** Rows of this page. */
  readonly rows: readonly Row[]
  /** Number of records that the rows are of. */
  readonly count: number
  /** Position of the first row among all. */
  readonly from: number
  /** Rows per page. */
  readonly size: number
  readonly total: number
  /** Opens the page that begins at a position of the URL. Undefined is the first page, which the URL omits. */
  readonly open: (from: string | undefined) => void
  readonly sorting: Sorting
  readonly sort: (next: Sorting) => void
  /** Rows per page that are offered. */
  readonly sizes: readonly number[]
  readonly resize: (size: number) => void
}

/** Shows one page of a table, with buttons for the other pages. */
export function PagedTable<Row>(props: PagedTableProps<Row>) {
  const { name, columns, rows, count, from, size, total, open, sorting, sort, sizes, resize } =
    props
  const step = (to: number) => open(to <= 0 ? undefined : String(to))
  const last = Math.floor((total - 1) / size) * size
  const steps = [
    ['First page', 0, from > 0],
    ['Previous page', from - size, from > 0],
    ['Next page', from + size, from + size < total],
    ['Last page', last, from < last],
  ] as const
  return (
    <>
      <Table
        caption={`${name} ${(from + 1).toLocaleString('en')} to ${(from + count).toLocaleString('en')} of ${total.toLocaleString('en')}`}
        columns={columns}
        rows={rows}
        sorting={sorting}
        sort={sort}
      />
      <p class="actions" hidden={total <= Math.min(size, ...sizes)}>
        {steps.map(([title, to, isThere]) => (
          <button
            key={title}
            type="button"
            // A disabled button would lose the focus at the last page.
            aria-disabled={!isThere}
            onClick={() => isThere && step(to)}
          >
            {title}
          </button>
        ))}
        <label>
          Rows{' '}
          <select value={size} onChange={(event) => resize(Number(event.currentTarget.value))}>
            {[...new Set([...sizes, size])].map((count) => (
              <option key={count} value={count}>
                {count}
              </option>
            ))}
          </select>
        </label>
      </p>
    </>
  )
}
