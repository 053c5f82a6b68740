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
}

interface TableProps<Row> {
  readonly caption: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  /** Name of the saved file. If undefined, the table cannot be saved. */
  readonly fileName?: string
}

/** Rows shown at first, and added on request. */
const FIRST_ROWS = 20
const MORE_ROWS = 200

export function Table<Row>({ caption, columns, rows, fileName }: TableProps<Row>) {
  const [shown, setShown] = useState(FIRST_ROWS)
  return (
    <div class="table">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys */}
      <section class="scrolls" tabIndex={0} aria-label={caption}>
        <table>
          <caption>{caption}</caption>
          <thead>
            <tr>
              {columns.map(({ title, value }) => (
                <th key={title} scope="col" class={isNumber(rows, value) ? 'number' : undefined}>
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, shown).map((row, index) => (
              <tr key={index}>
                {columns.map(({ title, value, show }) => {
                  const cellValue = value(row)
                  return (
                    <td key={title} class={typeof cellValue === 'number' ? 'number' : undefined}>
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
        {rows.length > shown && (
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
