import { isUtf8 } from 'node:buffer'
import { basename } from 'node:path'
import { EngineError } from '../../../shared/errors.ts'
import { isGzipError } from '../../../shared/formats/byte-source.ts'
import { FormatError } from '../../../shared/formats/format-error.ts'
import { listSources, type SourceFile } from '../../../shared/input/source-file.ts'
import { tableFile } from '../../../shared/input/table-file.ts'
import type { TableRow } from '../../../shared/input/table-rows.ts'
import type { CodeImport, RowFate, TableReport } from './import-run.ts'
import { type Recognised, recogniseLayout, type TableLayout } from './layout.ts'
import { RowError } from './row-error.ts'

/** The fate and record of a row. */
type TakenRow = Pick<RowFate, 'fate' | 'code'>

/**
 * Processes the cells of a row.
 * @throws RowError if the row is refused
 */
type RowTaker = (cells: readonly string[]) => TakenRow

export interface TableSource<Layout extends TableLayout> {
  readonly file: SourceFile
  readonly layouts: readonly Layout[]
  /** Creates the function that processes the rows after the header. */
  readonly open: (recognised: Recognised<Layout>) => RowTaker
}

export type TableRun = Pick<CodeImport, 'signal' | 'onRow'> & {
  /** Called with the number of bytes read from disk. */
  readonly onRead?: ((bytes: number) => void) | undefined
}

/**
 * Finds the file of a table.
 * @throws EngineError `not_found`; `bad_input` for a folder
 */
export async function findTable(path: string): Promise<SourceFile> {
  const [file] = await listSources([path])
  if (file?.isNamed) return file
  throw new EngineError('bad_input', `"${basename(path)}" is a folder; give a file`)
}

/**
 * Reads a plain or gzip table row by row, continuing after refused rows.
 * @throws EngineError `bad_input` for the columns of an unknown table, a repeated column with different cells
 * or another file format; `corrupt_source` for invalid gzip data; whatever `open` throws
 */
export async function readTable<Layout extends TableLayout>(
  { file, layouts, open }: TableSource<Layout>,
  { signal, onRow, onRead }: TableRun,
): Promise<TableReport> {
  const name = basename(file.path)
  try {
    const encoding = new TableEncoding()
    let table: TableRows<Layout> | undefined
    for await (const rows of tableFile(file.path, { signal, onRead, decode: encoding.decode })) {
      for (const row of rows) {
        if (table) {
          const fate = table.take(row)
          onRow?.(fate)
        } else table = new TableRows(name, row, { layouts, open })
      }
    }
    if (!table) throw new EngineError('bad_input', 'there is no line of column names')
    return { ...table.report(), otherEncoding: encoding.others }
  } catch (cause) {
    throw errorOf(name, cause)
  }
}

/** The range where windows-1252 has printable characters but ISO-8859-1 has control characters. */
const CONTROLS = /[\u0080-\u009f]/g

/**
 * Decodes published tables. They are in windows-1252 without saying so. Some were later converted to UTF-8,
 * partly as if they were ISO-8859-1.
 */
class TableEncoding {
  readonly #other = new TextDecoder('windows-1252')
  /** Number of lines that are not UTF-8 or were wrongly converted. */
  others = 0

  readonly decode = (bytes: Buffer): string => {
    const text = isUtf8(bytes) ? bytes.toString('utf8') : undefined
    if (text !== undefined && text.search(CONTROLS) < 0) return text
    this.others++
    if (text === undefined) return this.#other.decode(bytes)
    return text.replace(CONTROLS, (one) => this.#other.decode(Buffer.from(one, 'latin1')))
  }
}

class TableRows<Layout extends TableLayout> {
  readonly #file: string
  readonly #recognised: Recognised<Layout>
  readonly #take: RowTaker
  readonly #width: number
  readonly #counts = { load: 0, merge: 0, refuse: 0 }

  constructor(
    file: string,
    { cells }: TableRow,
    { layouts, open }: Pick<TableSource<Layout>, 'layouts' | 'open'>,
  ) {
    const header = cells.map((name) => name.trim())
    this.#file = file
    this.#width = header.length
    this.#recognised = recogniseLayout(header, layouts)
    this.#take = open(this.#recognised)
  }

  take({ line, cells }: TableRow): RowFate {
    const row = { file: this.#file, line, ...this.#fateOf(cells) }
    this.#counts[row.fate]++
    return row
  }

  report(): Omit<TableReport, 'otherEncoding'> {
    const { load, merge, refuse } = this.#counts
    const { layout, dropped } = this.#recognised
    const rows = load + merge + refuse
    const counts = { rows, loaded: load, merged: merge, refused: refuse }
    return { file: this.#file, layout: layout.name, ...counts, dropped }
  }

  #fateOf(cells: readonly string[]): Omit<RowFate, 'file' | 'line'> {
    try {
      if (cells.length === this.#width) return this.#take(cells)
      throw new RowError(`the row has ${cells.length} columns, the header ${this.#width}`)
    } catch (error) {
      if (!(error instanceof RowError)) throw error
      return { fate: 'refuse', column: error.column, reason: error.message }
    }
  }
}

/** Adds the file name to an error of a file; returns any other error unchanged. */
function errorOf(file: string, cause: unknown): unknown {
  if (cause instanceof EngineError) {
    return new EngineError(cause.code, `in "${file}", ${cause.message}`, { at: file, cause })
  }
  if (cause instanceof FormatError) {
    return new EngineError('bad_input', `in "${file}", ${cause.message}`, { at: file, cause })
  }
  if (!isGzipError(cause)) return cause
  const message = `in "${file}", the gzip data end early or are damaged`
  return new EngineError('corrupt_source', message, { at: file, cause })
}
