import { type LineEnd, lineEndOf } from '../../../shared/input/lines.ts'
import { cellsOfRow } from '../../../shared/input/quoting.ts'
import type { Separator } from '../../../shared/input/row-cutter.ts'
import { separatorOf } from '../../../shared/input/text-table.ts'
import { isNoNumber } from '../cells.ts'
import { type Scale, type Stated, scaleOf } from './units.ts'

/** Layout of an expression file, recognised by its first lines. */
export interface TableForm {
  /** Form of the table: one column with the values of one sample, or a column per sample. */
  readonly kind: 'sample' | 'matrix'
  readonly separator: Separator
  readonly lineEnd: LineEnd
  /** Number of lines before the first gene. */
  readonly headerLines: number
  /** Names of the columns. The column of row names has the empty name. */
  readonly names: readonly string[]
  /** Whether the header lacks both a name and a cell for the column of row names. */
  readonly isShort: boolean
  /** Index of the cell with the gene id. */
  readonly geneCell: number
  /** Index of each cell of a row that has a value, ascending, with the name of its column. */
  readonly values: readonly { readonly cell: number; readonly name: string }[]
  /** Index of the cell with a gene's biotype. */
  readonly typeCell: number | undefined
  /** Index of the cell with a gene's symbol. */
  readonly symbolCell: number | undefined
  /** Prefix of the gene cell in rows with sums, such as the number of unmapped reads, instead of gene values. */
  readonly sums: string | undefined
  readonly scale: Scale
}

interface NoForm {
  readonly reason: string
}

const GENE = /^ENS[A-Z]*G[A-Z]*\d+(\.\d+)?(_PAR_Y)?$/
const NUMBER = /^(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i

export const GENE_COLUMN = 'gene_id'
export const VALUE_COLUMN = 'fpkm_uq_unstranded'
export const TYPE_COLUMNS: readonly string[] = ['gene_type', 'biotype', 'gene_biotype']
export const SYMBOL_COLUMNS: readonly string[] = ['gene_name', 'symbol', 'gene_symbol']
const NO_TABLE = { reason: 'it is no table of expression' }

/** Maximum number of rows to examine. */
const MAX_ROWS = 8
/** More than any matrix has samples. A line of separators alone would make millions of cells. */
const MAX_COLUMNS = 100_000
/** Characters of a cell shown in a reason. */
const MAX_SHOWN = 40

type Cut = Pick<TableForm, 'separator' | 'lineEnd'>

interface Row {
  /** Line number, 1-based. */
  readonly line: number
  readonly cells: readonly string[]
}

/**
 * Recognises the layout of an expression file. If there is none, returns the reason.
 * @param text first bytes of the file, in whole lines
 * @param name file name, which alone shows the unit of tables other than augmented counts
 */
export function formOf(text: string, name: string, stated: Stated = {}): TableForm | NoForm {
  const lineEnd = lineEndOf(text)
  const lines = firstLines(text.replace(/^\ufeff/, ''), lineEnd)
  const [first] = lines
  if (!first) return NO_TABLE
  const separator = separatorOf(first.text)
  if (lines.some((line) => line.text.split(separator, MAX_COLUMNS + 1).length > MAX_COLUMNS)) {
    return { reason: `it has more than ${MAX_COLUMNS} columns` }
  }
  if (new RegExp(`(^|${separator})"[^"]*$`).test(first.text)) {
    return {
      reason: `a cell of its header continues after line ${first.line}; write it in one line`,
    }
  }
  const [header, ...rows] = lines.map(
    (line): Row => ({
      line: line.line,
      cells: cellsOfRow(line.text, separator).map((cell) => cell.trim()),
    }),
  )
  if (!header || header.cells.length < 2) return NO_TABLE
  const cut = { separator, lineEnd }
  if (header.cells.includes(GENE_COLUMN) && header.cells.includes(VALUE_COLUMN)) {
    return sampleForm(header, rows, cut)
  }
  if (header.cells.includes(GENE_COLUMN) && header.cells.includes('unstranded')) {
    return { reason: `it has no column ${VALUE_COLUMN}` }
  }
  const form =
    header.cells.length === 2 && isGene(header.cells[0]) && NUMBER.test(header.cells[1] ?? '')
      ? twoColumns(header.line - 1, cut)
      : matrixForm(header, rows, cut)
  if ('reason' in form) return form
  const found = scaleOf(name, stated)
  return 'reason' in found ? found : { ...form, ...found }
}

/**
 * Returns the header and the rows to examine, without comments and blank lines. The rest of the text, which
 * may be millions of lines, is not split.
 */
function firstLines(text: string, lineEnd: string) {
  const lines: { readonly line: number; readonly text: string }[] = []
  let line = 0
  for (let start = 0; start <= text.length && lines.length <= MAX_ROWS; ) {
    line++
    const found = text.indexOf(lineEnd, start)
    const end = found < 0 ? text.length : found
    const content = text.slice(start, end).replace(/\r$/, '')
    const isComment = lines.length === 0 && content.startsWith('#')
    if (!isComment && content.trim() !== '') lines.push({ line, text: content })
    start = end + lineEnd.length
  }
  return lines
}

const isGene = (cell = '') => GENE.test(cell)

function sampleForm(header: Row, rows: readonly Row[], cut: Cut): TableForm | NoForm {
  const { names, isShort } = namesOf(header, rows)
  const geneCell = names.indexOf(GENE_COLUMN)
  const sums = 'N_'
  const genes = rows.filter(({ cells }) => !cells[geneCell]?.startsWith(sums))
  const other = genes.find(({ cells }) => cells.length === names.length)
  if (other && !genes.some(({ cells }) => isGene(cells[geneCell]))) {
    const shown = other.cells[geneCell]?.slice(0, MAX_SHOWN)
    return { reason: `its column ${GENE_COLUMN} has "${shown}" in line ${other.line}, no gene id` }
  }
  return {
    kind: 'sample',
    ...cut,
    headerLines: header.line,
    names,
    isShort,
    geneCell,
    sums,
    values: [{ cell: names.indexOf(VALUE_COLUMN), name: VALUE_COLUMN }],
    ...namedCells(names, geneCell),
    scale: 'linear',
  }
}

const twoColumns = (headerLines: number, cut: Cut): TableForm => ({
  kind: 'sample',
  ...cut,
  headerLines,
  names: ['', ''],
  isShort: false,
  geneCell: 0,
  values: [{ cell: 1, name: VALUE_COLUMN }],
  typeCell: undefined,
  symbolCell: undefined,
  sums: '__',
  scale: 'linear',
})

function matrixForm(header: Row, rows: readonly Row[], cut: Cut): TableForm | NoForm {
  const { names, isShort } = namesOf(header, rows)
  const whole = rows.filter(({ cells }) => cells.length === names.length)
  const geneCell = geneCellOf(names, whole)
  const named = namedCells(names, geneCell)
  const others = names
    .map((name, cell) => ({ cell, name }))
    .filter(({ cell }) => cell !== Math.max(geneCell, 0))
    .filter(({ cell }) => cell !== named.typeCell && cell !== named.symbolCell)
  const hasGenes = rows.some(({ cells }) => cells.some(isGene))
  if (!hasGenes) {
    const isOfNumbers = whole.some(({ cells }) => others.every(isNumberIn(cells)))
    return isOfNumbers && others.length > 0 ? NO_GENE_IDS : NO_TABLE
  }
  const [row] = rows
  if (whole.length === 0) {
    const found = `line ${row?.line} has ${row?.cells.length} cells`
    return { reason: `${found}, the header in line ${header.line} has ${header.cells.length}` }
  }
  if (geneCell < 0) return NO_GENE_IDS
  // Row names and the index of pandas precede the gene ids. Trailing tabs make empty cells.
  const isPassedOver = (cell: number) =>
    names[cell] === '' &&
    (cell < geneCell || whole.every(({ cells }) => (cells[cell] ?? '') === ''))
  const values = others.filter(({ cell }) => !isPassedOver(cell))
  const nameless = values.find(({ name }) => name === '')
  if (nameless) return { reason: `its column ${nameless.cell + 1} has no name` }
  const doubtful = doubtfulCell(whole, values)
  if (values.length === 0 || doubtful) return doubtful ?? NO_TABLE
  const seen = new Set<string>()
  return {
    kind: 'matrix',
    ...cut,
    headerLines: header.line,
    names,
    isShort,
    geneCell,
    // The job checks that columns with the same name are equal.
    values: values.filter(({ name }) => !seen.has(name) && seen.add(name)),
    ...named,
    sums: undefined,
    scale: 'linear',
  }
}

const NO_GENE_IDS = { reason: 'no column of it has gene ids like ENSG00000141510' }

/** Returns the names of all cells. R writes neither a name nor a cell for the column of row names, so it is added. */
function namesOf({ cells: given }: Row, [row]: readonly Row[]) {
  const isShort = given.length === (row?.cells.length ?? 0) - 1
  return { names: isShort ? ['', ...given] : given, isShort }
}

/** Returns the column that has the most gene ids in the first rows. Returns -1 if no column has any. */
function geneCellOf(names: readonly string[], rows: readonly Row[]): number {
  const counts = names.map((_, cell) => rows.filter(({ cells }) => isGene(cells[cell])).length)
  const most = Math.max(...counts)
  if (most === 0) return -1
  const named = names.indexOf(GENE_COLUMN)
  return counts[named] === most ? named : counts.indexOf(most)
}

const isNumberIn =
  (cells: readonly string[]) =>
  ({ cell }: { readonly cell: number }) =>
    NUMBER.test(cells[cell] ?? '')

/**
 * Returns the reason to reject a matrix of which no first row has values. It names the first cell that is
 * neither a number nor missing. Returns undefined if some row has values.
 */
function doubtfulCell(
  rows: readonly Row[],
  values: TableForm['values'],
): { readonly reason: string } | undefined {
  const isOfValues = ({ cells }: Row) =>
    values.some(isNumberIn(cells)) &&
    values.every((value) => isNumberIn(cells)(value) || isNoNumber(cells[value.cell] ?? ''))
  if (rows.some(isOfValues)) return undefined
  const row = rows.find(({ cells }) => cells.some(isGene)) ?? rows[0]
  const value = values.find(({ cell }) => {
    const text = row?.cells[cell] ?? ''
    return !NUMBER.test(text) && !isNoNumber(text)
  })
  if (!row || !value) return NO_TABLE
  const shown = row.cells[value.cell]?.slice(0, MAX_SHOWN)
  return {
    reason: `its column ${value.name} has "${shown}" in line ${row.line}, where a number of 0 or above like 1234.5 is expected; leave out columns that are no samples`,
  }
}

function namedCells(names: readonly string[], geneCell: number) {
  const find = (known: readonly string[]) => {
    const cell = names.findIndex(
      (name, at) => at !== geneCell && known.includes(name.toLowerCase()),
    )
    return cell < 0 ? undefined : cell
  }
  return { typeCell: find(TYPE_COLUMNS), symbolCell: find(SYMBOL_COLUMNS) }
}
