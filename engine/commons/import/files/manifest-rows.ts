import { checkId, checkName } from '../../../shared/blobs/blob-key.ts'
import { EngineError } from '../../../shared/errors.ts'
import { isGzipError } from '../../../shared/formats/byte-source.ts'
import { FormatError } from '../../../shared/formats/format-error.ts'
import { type ColumnReport, ColumnTallies } from '../../../shared/input/column-tally.ts'
import { wholeDigits } from '../../../shared/input/decimal.ts'
import {
  findManifestColumns,
  type MANIFEST_COLUMNS,
} from '../../../shared/input/manifest-columns.ts'
import { explainSystemError } from '../../../shared/input/system-error.ts'
import { tableFile } from '../../../shared/input/table-file.ts'
import type { TableRow } from '../../../shared/input/table-rows.ts'

/** A row of a download manifest (data-commons.md 3.7). */
export interface ManifestRow {
  /** Id in lower case. */
  readonly id: string
  readonly fileName: string
  readonly md5: string
  readonly size: number
}

/** A row that cannot be used. */
export interface BadRow {
  /** Id of the file if the row has one, otherwise the line number. */
  readonly subject: string
  readonly problem: string
}

type Field = keyof typeof MANIFEST_COLUMNS

type Columns = Readonly<Record<Field, number>>

export interface ManifestReading {
  readonly signal?: AbortSignal | undefined
  /** Refuses the manifest at a row that cannot be used. */
  readonly strict?: boolean | undefined
  /** Called with the counts of the cells, by column, after the last row. */
  readonly onColumns?: ((columns: readonly ColumnReport[]) => void) | undefined
}

/**
 * Reads a download manifest, plain or gzip, in batches of rows. Columns are found by name. Unknown columns are
 * ignored.
 * @throws EngineError bad_input if it is not a manifest, or with `strict` for a row that cannot be used;
 *   not_found if the file does not exist
 */
export async function* readManifestRows(
  path: string,
  { signal, strict = false, onColumns }: ManifestReading = {},
): AsyncGenerator<readonly (ManifestRow | BadRow)[], void, undefined> {
  let reader: RowReader | undefined
  try {
    for await (const table of tableFile(path, { signal })) {
      const rows: (ManifestRow | BadRow)[] = []
      for (const row of table) {
        if (!reader) {
          reader = new RowReader(row.cells)
          continue
        }
        const read = reader.read(row)
        if (strict && 'problem' in read) throw new EngineError('bad_input', read.problem)
        rows.push(read)
      }
      if (rows.length > 0) yield rows
    }
  } catch (cause) {
    signal?.throwIfAborted()
    if (cause instanceof FormatError) {
      throw new EngineError('bad_input', `manifest: ${cause.message}`, { cause })
    }
    if (!isGzipError(cause)) throw explainSystemError(cause, path)
    const message = `the manifest ${JSON.stringify(path)} is cut off or damaged; fetch it again`
    throw new EngineError('bad_input', message, { cause })
  }
  if (!reader) throw noManifest()
  onColumns?.(reader.columns)
}

function columnsOf(header: readonly string[]): Columns {
  const { id, fileName, md5, size } = findManifestColumns(header)
  if (id === undefined || fileName === undefined || md5 === undefined || size === undefined) {
    throw noManifest()
  }
  return { id, fileName, md5, size }
}

function noManifest(): EngineError {
  return new EngineError(
    'bad_input',
    'manifest has no columns id, filename, md5 and size; give a tab-separated download manifest',
  )
}

/** Reads the rows below a header and counts their cells by outcome. */
class RowReader {
  readonly #columns: Columns
  readonly #names: readonly string[]
  readonly #tallies = new ColumnTallies(() => this.#line)
  #line = 0

  /** @throws EngineError bad_input if the header is not that of a manifest */
  constructor(header: readonly string[]) {
    this.#columns = columnsOf(header)
    this.#names = header.map((name) => name.trim())
  }

  get columns(): readonly ColumnReport[] {
    return this.#tallies.report()
  }

  read({ line, cells }: TableRow): ManifestRow | BadRow {
    this.#line = line
    let subject = `line ${line}`
    try {
      const id = this.#take(cells, 'id', (cell) => {
        const id = cell.trim().toLowerCase()
        checkId(id)
        return id
      })
      subject = id
      // The cell is not trimmed, because spaces may be part of the name.
      const fileName = this.#take(cells, 'fileName', (cell) => {
        checkName(cell, 'filename')
        return cell
      })
      const md5 = this.#take(cells, 'md5', (cell) => md5Of(cell.trim()))
      return { id, fileName, md5, size: this.#take(cells, 'size', (cell) => sizeOf(cell.trim())) }
    } catch (error) {
      if (!(error instanceof EngineError)) throw error
      return { subject, problem: `manifest line ${line}: ${error.message}` }
    }
  }

  /** Reads a cell and counts how it was read. */
  #take<Value extends string | number>(
    cells: readonly string[],
    field: Field,
    read: (cell: string) => Value,
  ): Value {
    const place = this.#columns[field]
    const cell = cells[place] ?? ''
    const tally = this.#tallies.of(this.#names[place] ?? field)
    try {
      const value = read(cell)
      tally.taken++
      if (String(value) !== cell.trim()) tally.addChange(REWRITTEN[field])
      return value
    } catch (error) {
      if (error instanceof EngineError) tally.addMisunderstood(cell)
      throw error
    }
  }
}

/** Phrases of the report for cells whose value is written differently. */
const REWRITTEN: Readonly<Record<Field, string>> = {
  id: 'written in lower case',
  fileName: 'with blanks around the name',
  md5: 'written in lower case',
  size: 'written as a whole number',
}

function md5Of(text: string): string {
  const md5 = text.toLowerCase()
  if (/^[0-9a-f]{32}$/.test(md5)) return md5
  throw new EngineError('bad_input', `md5 ${shown(text)} is not 32 hex digits`)
}

function sizeOf(text: string): number {
  const size = Number(wholeDigits(text) ?? Number.NaN)
  if (Number.isSafeInteger(size) && size >= 0) return size
  throw new EngineError('bad_input', `size ${shown(text)} is no whole number of bytes`)
}

const shown = (text: string) => JSON.stringify(text.slice(0, 80))
