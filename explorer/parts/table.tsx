import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { saveFile } from './save.ts'
import { tsvLine } from './tsv.ts'

export interface Column<Row> {
  readonly title: string
  /** Value of the cell in the saved table. */
  readonly value: (row: Row) => string | number | undefined
  /** Returns the display of the cell. Defaults to the value. */
  readonly show?: (row: Row) => ComponentChildren
  /** Field by which the service sorts the column. Tables with all their rows need none. */
  readonly sortBy?: string
}

/** Order of the rows. */
export interface Sorting {
  /** Field of the column, or its title if the table has all rows. */
  readonly by: string
  readonly isDescending: boolean
}

interface TableProps<Row> {
  readonly caption: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  /** Name of the saved file. If undefined, the table cannot be saved. */
  readonly fileName?: string
  /** Order in which the service returned the rows. If undefined, the table has all rows and sorts them itself. */
  readonly sorting?: Sorting
  readonly sort?: (next: Sorting) => void
}

/** Rows shown at first, and added on request. */
const FIRST_ROWS = 20
const MORE_ROWS = 200

/** Shows rows as a table, on narrow screens as cards. A click on a title sorts by the column. */
export function Table<Row>(props: TableProps<Row>) {
  const { caption, columns, fileName, sorting, sort } = props
  const [shown, setShown] = useState(FIRST_ROWS)
  const [own, setOwn] = useState<Sorting>()
  const now = sorting ?? own
  const rows = sorting || !own ? props.rows : sortedBy(props.rows, columns, own)
  const keyOf = ({ title, sortBy }: Column<Row>) => (sort ? sortBy : title)
  return (
    <div class="table">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys */}
      <section class="scrolls" tabIndex={0} aria-label={caption}>
        <table>
          <caption>{caption}</caption>
          <thead>
            <tr>
              {columns.map((column) => (
                <Head
                  key={column.title}
                  title={column.title}
                  by={keyOf(column)}
                  isNumber={isNumber(rows, column.value)}
                  now={now}
                  sort={sort ?? setOwn}
                />
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, sorting ? undefined : shown).map((row, index) => (
              <tr key={index}>
                {columns.map(({ title, value, show }) => {
                  const cellValue = value(row)
                  return (
                    <td
                      key={title}
                      data-title={title}
                      class={typeof cellValue === 'number' ? 'number' : undefined}
                    >
                      {show ? show(row) : cellText(cellValue)}
                    </td>
                  )
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <p class="actions">
        {!sorting && rows.length > shown && (
          <button type="button" onClick={() => setShown(shown + MORE_ROWS)}>
            Show more of {rows.length.toLocaleString('en')} rows
          </button>
        )}
        {fileName !== undefined && (
          <button type="button" onClick={() => saveFile(fileName, tsvOf(columns, rows))}>
            Save as TSV
          </button>
        )}
      </p>
    </div>
  )
}

interface HeadProps {
  readonly title: string
  /** Name by which the column is sorted. Undefined if it cannot be. */
  readonly by: string | undefined
  readonly isNumber: boolean
  readonly now: Sorting | undefined
  readonly sort: (next: Sorting) => void
}

function Head({ title, by, isNumber, now, sort }: HeadProps) {
  const isSorted = by !== undefined && now?.by === by
  const order = now?.isDescending ? 'descending' : 'ascending'
  return (
    <th
      scope="col"
      class={isNumber ? 'number' : undefined}
      aria-sort={isSorted ? order : undefined}
    >
      {by === undefined ? (
        title
      ) : (
        <button
          type="button"
          class="sorts"
          onClick={() => sort({ by, isDescending: isSorted && !now.isDescending })}
        >
          {title}
        </button>
      )}
    </th>
  )
}

/** Returns the rows in the order of a column. Empty cells come last. */
function sortedBy<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  { by, isDescending }: Sorting,
): readonly Row[] {
  const column = columns.find(({ title }) => title === by)
  if (!column) return rows
  const keyed = rows.map((row) => ({ row, key: column.value(row) }))
  const isEmpty = (key: string | number | undefined) => key === undefined || key === ''
  const filled = keyed.filter(({ key }) => !isEmpty(key))
  const sorted = filled.toSorted(
    (one, other) => compare(one.key, other.key) * (isDescending ? -1 : 1),
  )
  return [...sorted, ...keyed.filter(({ key }) => isEmpty(key))].map(({ row }) => row)
}

function compare(one: string | number | undefined, other: string | number | undefined): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other
  return String(one).localeCompare(String(other), 'en', { numeric: true })
}

/** Returns whether a column is numeric, by its first value. */
const isNumber = <Row,>(rows: readonly Row[], value: Column<Row>['value']) =>
  rows[0] !== undefined && typeof value(rows[0]) === 'number'

const cellText = (value: string | number | undefined) =>
  typeof value === 'number' ? value.toLocaleString('en', { maximumSignificantDigits: 6 }) : value

/** Returns the table as TSV. */
function tsvOf<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): Blob {
  const lines = rows.map((row) => tsvLine(columns.map(({ value }) => value(row))))
  const text = [tsvLine(columns.map(({ title }) => title)), ...lines].join('')
  return new Blob([text], { type: 'text/tab-separated-values' })
}
