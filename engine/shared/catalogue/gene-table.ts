import { basename } from 'node:path'
import { EngineError } from '../errors.ts'
import { isGzipError } from '../formats/byte-source.ts'
import { FormatError } from '../formats/format-error.ts'
import { type ColumnReport, ColumnTallies } from '../input/column-tally.ts'
import { wholeDigits } from '../input/decimal.ts'
import { isSpreadsheetDate } from '../input/doubtful-text.ts'
import { withoutVersion } from '../input/gene-id.ts'
import { NOTHING } from '../input/nothing.ts'
import { explainSystemError } from '../input/system-error.ts'
import { tableFile } from '../input/table-file.ts'
import type { TableRow } from '../input/table-rows.ts'
import type { GeneRow } from './genes.ts'

type Field = 'id' | 'versionedId' | keyof Omit<GeneRow, 'geneId'>

/**
 * Header names that are accepted for each field, from the gene fields of releases, GENCODE exports, and Ensembl
 * exports of annotables. Other columns are ignored.
 */
export const GENE_COLUMNS: Readonly<Record<Field, readonly string[]>> = Object.freeze({
  id: ['gene_id', 'ensgene'],
  versionedId: ['gene_id_version'],
  symbol: ['symbol'],
  name: ['name', 'description'],
  biotype: ['biotype'],
  chromosome: ['gene_chromosome', 'chromosome', 'chr'],
  start: ['gene_start', 'start'],
  end: ['gene_end', 'end'],
  strand: ['gene_strand', 'strand'],
})
export const REQUIRED_GENE_COLUMNS: readonly Field[] = [
  'id',
  'symbol',
  'chromosome',
  'start',
  'end',
]

/** Largest coordinate in a BAM file. */
const MAX_COORDINATE = 2 ** 31 - 1
const STRANDS: ReadonlyMap<string, GeneRow['strand']> = new Map([
  ...['1', '+1', '+'].map((text) => [text, 1] as const),
  ...['-1', '-'].map((text) => [text, -1] as const),
  ...['.', '0'].map((text) => [text, null] as const),
])

export interface ReadGenesOptions {
  readonly signal?: AbortSignal
  /** Called with the size of each chunk read from disk, to display progress. */
  readonly onRead?: (bytes: number) => void
  /** Called with the counts of the cells of each column after the last row. */
  readonly onColumns?: (columns: readonly ColumnReport[]) => void
}

/**
 * Reads a gene table from disk. Gzip is recognised by the first bytes, not by the file name.
 * @throws EngineError `not_found` if there is no such file; `bad_input` naming line and column if it is not a
 *   gene table
 */
export async function* readGenes(
  path: string,
  { signal, onRead, onColumns }: ReadGenesOptions = {},
): AsyncGenerator<GeneRow, void, undefined> {
  const rows = tableFile(path, { signal, onRead })
  try {
    yield* genesOf(rows, basename(path), onColumns)
  } catch (cause) {
    throw explainSystemError(cause, path)
  }
}

/**
 * Yields the genes of a table. Keeps one chunk and the ids seen so far in memory.
 *
 * The id of a gene is `gene_id` without its version. If that repeats, as for the PAR genes on X and Y, the later
 * row gets its versioned id, whose suffix is unique. A later row with the same symbol and span and without a
 * versioned id is skipped, because annotables has one row per Entrez id.
 * @param source name of the table in messages
 * @throws EngineError `bad_input` naming line and column
 */
export async function* genesOf(
  rows: AsyncIterable<readonly TableRow[]>,
  source: string,
  onColumns?: ReadGenesOptions['onColumns'],
): AsyncGenerator<GeneRow, void, undefined> {
  let columns: Columns | undefined
  // An invalid cell ends the import, so that no line is shown.
  const tallies = new ColumnTallies(() => 0)
  const spans = new Map<string, string>()
  for await (const row of evenRows(rows, source)) {
    if (!columns) {
      columns = findColumns(
        row.cells.map((name) => name.trim()),
        source,
      )
      continue
    }
    const cells = { row, columns, source }
    const gene = geneOf(cells)
    countCells(cells, gene, tallies)
    const span = [gene.symbol, gene.chromosome, gene.start, gene.end].join('\t')
    const known = spans.get(gene.geneId)
    if (known === undefined) {
      spans.set(gene.geneId, span)
      yield Object.freeze(gene)
      continue
    }
    const versionedId = textOrNull(cells, 'versionedId')
    if (versionedId === null && known === span) continue
    if (versionedId === null || spans.has(versionedId)) {
      throw cellError(
        cells,
        versionedId === null ? 'id' : 'versionedId',
        'occurs before with another place or version; each gene needs its own id',
      )
    }
    spans.set(versionedId, span)
    yield Object.freeze({ ...gene, geneId: versionedId })
  }
  if (!columns) {
    throw new EngineError(
      'bad_input',
      `gene table "${source}" is empty; its first line names columns`,
    )
  }
  onColumns?.(tallies.report())
}

/** Phrases of the report for cells whose value is written differently. */
const REWRITTEN: Readonly<Partial<Record<Field, string>>> = {
  id: 'written without the version, or in upper case',
  start: 'written as a whole number',
  end: 'written as a whole number',
  strand: 'written as 1 or -1',
}

const DATE = 'a date such as 1-Mar, which a spreadsheet has made of a symbol'

function countCells(cells: GeneCells, gene: GeneRow, tallies: ColumnTallies): void {
  const values: Readonly<Partial<Record<Field, unknown>>> = gene
  for (const [field, { name }] of cells.columns) {
    const tally = tallies.of(name)
    const text = cellText(cells, field)
    if (text === '' || values[field] === null) {
      tally.empty++
      continue
    }
    tally.taken++
    const rule = REWRITTEN[field]
    const value = field === 'id' ? gene.geneId : values[field]
    if (rule !== undefined && String(value) !== text) tally.addChange(rule)
    if (field === 'symbol' && isSpreadsheetDate(text)) tally.addChange(DATE)
  }
}

/** Index and header name of each field found in the table. */
type Columns = ReadonlyMap<Field, { readonly index: number; readonly name: string }>

function findColumns(header: readonly string[], source: string): Columns {
  const columns = new Map<Field, { index: number; name: string }>()
  for (const [key, names] of Object.entries(GENE_COLUMNS)) {
    const field = key as Field
    // Repeated columns have equal cells, so only the first counts.
    const found = header.flatMap((name, index) =>
      names.includes(name) && header.indexOf(name) === index ? [{ index, name }] : [],
    )
    if (found.length > 1) {
      throw new EngineError(
        'bad_input',
        `gene table "${source}", line 1: columns ${found.map(quoteName).join(' and ')} say the same; keep one of them`,
        { at: 'line 1' },
      )
    }
    if (found[0]) columns.set(field, found[0])
    else if (REQUIRED_GENE_COLUMNS.includes(field)) {
      throw new EngineError(
        'bad_input',
        `gene table "${source}", line 1 has no column for the ${field}; name one ${names.join(' or ')}`,
        { at: 'line 1' },
      )
    }
  }
  return columns
}

const quoteName = ({ name }: { readonly name: string }) => `"${name}"`

/** A row together with what is needed to parse it and to report errors. */
interface GeneCells {
  readonly row: TableRow
  readonly columns: Columns
  readonly source: string
}

function geneOf(cells: GeneCells): GeneRow {
  const start = coordinate(cells, 'start')
  const end = coordinate(cells, 'end')
  if (end < start) throw cellError(cells, 'end', `is before the start ${start}`)
  return {
    geneId: withoutVersion(filledText(cells, 'id').trim()),
    symbol: cellText(cells, 'symbol'),
    name: textOrNull(cells, 'name'),
    biotype: textOrNull(cells, 'biotype'),
    chromosome: filledText(cells, 'chromosome'),
    start,
    end,
    strand: strand(cells),
  }
}

/** Returns the text of a cell, or an empty text if the table lacks the column. */
function cellText({ row, columns }: GeneCells, field: Field): string {
  const column = columns.get(field)
  return (column && row.cells[column.index]) ?? ''
}

/** Returns the text of a cell. Null if the text stands for a missing value. */
function textOrNull(cells: GeneCells, field: Field): string | null {
  const text = cellText(cells, field)
  return NOTHING.has(text.trim()) ? null : text
}

function filledText(cells: GeneCells, field: Field): string {
  const text = textOrNull(cells, field)
  if (text === null) throw cellError(cells, field, 'is empty; every gene needs one')
  return text
}

function coordinate(cells: GeneCells, field: 'start' | 'end'): number {
  const value = Number(wholeDigits(cellText(cells, field)) ?? Number.NaN)
  if (!(value >= 1 && value <= MAX_COORDINATE)) {
    throw cellError(cells, field, `is no whole number from 1 to ${MAX_COORDINATE}`)
  }
  return value
}

function strand(cells: GeneCells): GeneRow['strand'] {
  const text = textOrNull(cells, 'strand')
  const known = text === null ? null : STRANDS.get(text)
  if (known === undefined)
    throw cellError(cells, 'strand', 'is not one of 1, -1, +, -, 0, . and empty')
  return known
}

function cellError(cells: GeneCells, field: Field, problem: string): EngineError {
  const { row, columns, source } = cells
  const name = columns.get(field)?.name ?? field
  const given = JSON.stringify(cellText(cells, field))
  return new EngineError(
    'bad_input',
    `gene table "${source}", line ${row.line}, column ${name}: ${given} ${problem}`,
    { at: `line ${row.line}, column ${name}` },
  )
}

/**
 * Yields the rows, and checks that all have as many cells as the first. Errors of the byte stream are converted
 * to errors that name the table.
 * @throws EngineError `bad_input` for a row of another width, or a damaged gzip stream
 */
async function* evenRows(
  batches: AsyncIterable<readonly TableRow[]>,
  source: string,
): AsyncGenerator<TableRow, void, undefined> {
  let width: number | undefined
  try {
    for await (const rows of batches) {
      for (const row of rows) {
        const { line, cells } = row
        width ??= cells.length
        if (cells.length !== width) {
          throw new FormatError(`line ${line} has ${cells.length} columns, the first line ${width}`)
        }
        yield row
      }
    }
  } catch (cause) {
    if (!(cause instanceof FormatError) && !isGzipError(cause)) throw cause
    const problem =
      cause instanceof FormatError ? cause.message : `does not inflate: ${cause.message}`
    throw new EngineError('bad_input', `gene table "${source}": ${problem}`, { cause })
  }
}
