import { type Scale, type Stated, scaleOf } from './units.ts'

/** How a file of expression is laid out, recognised by its first lines. */
export interface TableForm {
  /** One sample in a column of its own, or a column per sample. */
  readonly kind: 'sample' | 'matrix'
  /** Lines before the first gene. */
  readonly headerLines: number
  /** Cells of a line. */
  readonly columns: number
  /** Cells that hold values, ascending, and what their columns are called. */
  readonly values: readonly { readonly cell: number; readonly name: string }[]
  /** Cells that hold a gene's biotype and symbol. */
  readonly typeCell: number | undefined
  readonly symbolCell: number | undefined
  /** Rows whose first cell begins so are sums, not genes. */
  readonly sums: string | undefined
  readonly scale: Scale
}

export interface NoForm {
  readonly reason: string
}

const GENE = /^"?ENS[A-Z]*G[A-Z]*\d+(\.\d+)?(_PAR_Y)?"?$/
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i

const VALUE_COLUMN = 'fpkm_uq_unstranded'
const TYPE_COLUMNS: readonly string[] = ['gene_type', 'biotype', 'gene_biotype']
const SYMBOL_COLUMNS: readonly string[] = ['gene_name', 'symbol', 'gene_symbol']

/** Rows that are looked at. */
const MAX_ROWS = 8

/**
 * @param text the beginning of a file: whole lines
 * @param name of the file; tables other than augmented counts say nowhere else what they hold
 */
export function formOf(text: string, name: string, stated: Stated = {}): TableForm | NoForm {
  const lines = text
    .replace(/^\ufeff/, '')
    .split('\n')
    .map(cellsOf)
  const comments = lines.findIndex(([first = '']) => !first.startsWith('#'))
  const [header = [], ...rest] = lines.slice(Math.max(comments, 0))
  const headerLines = comments + 1
  if (comments < 0 || header.length < 2) return { reason: 'it is no table of expression' }
  if (header.includes('gene_id') && header.includes(VALUE_COLUMN)) {
    return sampleForm(header, headerLines)
  }
  if (header.includes('gene_id') && header.includes('unstranded')) {
    return { reason: `it has no column ${VALUE_COLUMN}` }
  }
  if (header.length === 2 && GENE.test(header[0] ?? '') && NUMBER.test(header[1] ?? '')) {
    return withScale(twoColumns(comments), name, stated)
  }
  const form = matrixForm(header, rest.slice(0, MAX_ROWS), headerLines)
  return 'reason' in form ? form : withScale(form, name, stated)
}

function withScale(form: TableForm, name: string, stated: Stated): TableForm | NoForm {
  const found = scaleOf(name, stated)
  return 'reason' in found ? found : { ...form, ...found }
}

function cellsOf(line: string): readonly string[] {
  return line
    .replace(/\r$/, '')
    .split('\t')
    .map((cell) => cell.replace(/^"(.*)"$/, '$1'))
}

function sampleForm(header: readonly string[], headerLines: number): TableForm | NoForm {
  if (header[0] !== 'gene_id') return { reason: 'its first column is not gene_id' }
  return {
    kind: 'sample',
    headerLines,
    columns: header.length,
    values: [{ cell: header.indexOf(VALUE_COLUMN), name: VALUE_COLUMN }],
    ...namedCells(header),
    sums: 'N_',
    scale: 'linear',
  }
}

function twoColumns(headerLines: number): TableForm {
  return {
    kind: 'sample',
    headerLines,
    columns: 2,
    values: [{ cell: 1, name: VALUE_COLUMN }],
    typeCell: undefined,
    symbolCell: undefined,
    sums: '__',
    scale: 'linear',
  }
}

function matrixForm(
  given: readonly string[],
  rows: readonly (readonly string[])[],
  headerLines: number,
): TableForm | NoForm {
  const columns = rows[0]?.length ?? 0
  // Some programs leave the column of row names without a name, and without a tab.
  const header = given.length === columns - 1 ? ['', ...given] : given
  const { typeCell, symbolCell } = namedCells(header)
  const values = header
    .map((each, cell) => ({ cell, name: each.trim() }))
    .filter(({ cell }) => cell > 0 && cell !== typeCell && cell !== symbolCell)
  const isOfNumbers = rows.some(
    (row) =>
      row.length === header.length && values.every(({ cell }) => NUMBER.test(row[cell] ?? '')),
  )
  if (!isOfNumbers || values.length === 0) return { reason: 'it is no table of expression' }
  if (!rows.some(([gene = '']) => GENE.test(gene))) {
    return { reason: 'its first column has no gene ids like ENSG00000141510' }
  }
  const repeated = values.find((one, i) => values.findIndex((each) => each.name === one.name) < i)
  if (repeated) return { reason: `column ${repeated.name} occurs twice; keep one` }
  const columnCount = header.length
  return {
    kind: 'matrix',
    headerLines,
    columns: columnCount,
    values,
    typeCell,
    symbolCell,
    sums: undefined,
    scale: 'linear',
  }
}

/** Where the first column is the symbol there is no other one. */
function namedCells(header: readonly string[]) {
  const find = (names: readonly string[]) => {
    const cell = header.findIndex((name) => names.includes(name.toLowerCase()))
    return cell > 0 ? cell : undefined
  }
  return { typeCell: find(TYPE_COLUMNS), symbolCell: find(SYMBOL_COLUMNS) }
}
