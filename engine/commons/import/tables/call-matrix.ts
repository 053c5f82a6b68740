import { FormatError } from '../../../shared/formats/format-error.ts'
import { decimalIn } from '../../../shared/input/decimal.ts'
import type { JsonObject } from '../../../shared/input/json-value.ts'
import { CELL_READERS, EMPTY, geneIdIn, isOfOneLine, nameIn } from '../cells.ts'
import { ColumnReader, EMPTY_WORDS, whole } from '../columns.ts'
import { type Category, categoryOfCall, geneChangeDocument } from '../copy-number-change.ts'
import { COPY_NUMBER_TABLE, originOf } from '../copy-number-table.ts'
import { CopyNumberWriter, type Sample } from '../copy-number-writer.ts'
import { defined } from '../defined.ts'
import { referenceIn } from '../reference-name.ts'
import { RowError, TableError } from '../row-error.ts'
import { SpecimenDoubts } from '../specimen-doubts.ts'
import { observedAs, Specimens } from '../specimens.ts'
import type { Table, TableKind } from '../table-kind.ts'
import { isTotal } from '../total-row.ts'
import { isSpreadsheetSymbol, SPREADSHEET_SYMBOL } from '../unknown-symbols.ts'

/** Names, in lower case, of columns before the samples that identify or locate the gene. */
const GENE_COLUMNS: ReadonlySet<string> = new Set([
  ...[
    '',
    'symbol',
    'gene',
    'gene_id',
    'gene_name',
    'gene symbol',
    'gene id',
    'locus id',
    'cytoband',
    'hugo_symbol',
    'entrez_gene_id',
  ],
])

/** Column with a sample's call, -2 to 2. */
const CALLS = whole('calls of samples')

const isOfGene = (column: string) => GENE_COLUMNS.has(column.toLowerCase())

/**
 * A matrix of thresholded copy number calls, -2 to 2, of genes (rows) in samples (columns), as in GISTIC results
 * and gene-level scores of the commons. Expression matrices have the same columns, so the values distinguish
 * them.
 */
export const callMatrix: TableKind = {
  name: COPY_NUMBER_TABLE,
  columns: {},
  needs: [],
  needsCases: true,
  matches(columns, _, rows) {
    const [first = '', ...others] = columns
    if (!isOfGene(first) || others.every(isOfGene)) return false
    const from = [...columns].findIndex((column) => !isOfGene(column))
    const values = rows.flatMap((row) => row.slice(from)).map(callIn)
    const areCalls = values.every((each) => each === undefined || categoryOfCall(each))
    const isScored = columns.has('Gene Symbol') && columns.has('Cytoband')
    // A matrix of zeros may be counts of genes without expression.
    return areCalls && (isScored || values.some((each) => each?.startsWith('-')))
  },
  open(table) {
    const { header, intake } = table
    const from = header.findIndex((column) => !isOfGene(column))
    const build = referenceIn(table.fileName)
    const columns = columnsOf(table, from)
    const genes = new Genes()
    // If no other column before the samples names the genes, the row names do.
    const first = header[0] === '' && from > 1 ? 1 : 0
    const writer = new CopyNumberWriter(intake, 'cnvs')
    return {
      unused: [],
      take(cells) {
        const gene = geneIn(cells.slice(first, from))
        if (gene.symbol !== undefined && isSpreadsheetSymbol(gene.symbol)) {
          intake.tallyOf(header[first] ?? '').addChange(SPREADSHEET_SYMBOL)
        }
        genes.add(gene, intake.line)
        // All cells are read before any is imported, because one of them may be invalid.
        const categories = columns.map(({ reader }, i) => categoryIn(reader, cells, from + i))
        const changes = new Map<Category, JsonObject>()
        let neutral = 0
        let missing = 0
        for (const [i, { sample, observed }] of columns.entries()) {
          const category = categories[i]
          if (category === undefined) missing++
          else if (category === 'Neutral') {
            neutral++
            writer.measured(sample)
          } else {
            const change =
              changes.get(category) ??
              geneChangeDocument({ build, ...gene, place: undefined, category })
            changes.set(category, change)
            writer.add(change, sample, observed)
          }
        }
        intake.unchanged({ neutral, missing })
      },
    }
  },
}

/**
 * Returns the first number in the rows of a call matrix that is no call, such as `-1.5` in those of cBioPortal and
 * `0.31` of a log2 ratio. Undefined if the table is no matrix of numbers of which some are calls below 0.
 */
export function firstNoCall(
  columns: readonly string[],
  rows: readonly (readonly string[])[],
): string | undefined {
  const from = columns.findIndex((column) => !isOfGene(column))
  if (from < 1) return undefined
  const values = rows.flatMap((row) => row.slice(from)).map((each) => each.trim())
  const numbers = values.map((each) => (EMPTY_WORDS.has(each) ? 0 : decimalIn(each)))
  if (numbers.includes(undefined) || !numbers.some((each) => each !== undefined && each < 0)) {
    return undefined
  }
  return values.find((each) => !EMPTY_WORDS.has(each) && !categoryOfCall(String(callIn(each))))
}

/** Returns the call in a cell of the first rows, or undefined for a missing value. */
function callIn(cell: string): string | undefined {
  const text = cell.trim()
  const value = EMPTY_WORDS.has(text) ? EMPTY : CELL_READERS.whole(text, '')
  if (value === EMPTY) return undefined
  return typeof value === 'number' ? String(value) : text
}

interface Column {
  readonly sample: Sample
  readonly observed: JsonObject
  readonly reader: ColumnReader
}

/**
 * Returns the category of a call, or undefined for a missing value.
 * @throws RowError for a number that is not a call
 */
function categoryIn(
  reader: Column['reader'],
  cells: readonly string[],
  place: number,
): Category | undefined {
  const call = reader.read(cells[place] ?? '')
  const category = call === undefined ? undefined : categoryOfCall(String(call))
  if (call === undefined || category !== undefined) return category
  throw new RowError(`column ${place + 1} is ${call}, no call from -2 to 2`)
}

/**
 * Returns a column for each sample. All columns share one tally.
 * @throws TableError for a column without a name, with a name of several lines, or of totals, for a repeated
 *   column, or if the case of a sample cannot be determined
 */
function columnsOf(table: Table, from: number): readonly Column[] {
  const origin = originOf(table)
  const specimens = new Specimens(table.cases, table.intake.joins)
  const doubts = new SpecimenDoubts(table)
  const reader = new ColumnReader(CALLS, table.intake.tallyOf('calls of samples'))
  const names = table.header.slice(from).map(nameIn)
  return names.map((name, i) => {
    if (name === '') throw new TableError(`its column ${from + i + 1} has no name`)
    if (isTotal(name)) {
      throw new TableError(`its column "${name}" is of no sample; remove it`)
    }
    const repeated = NUMBERED.exec(name)?.[1]
    if (repeated !== undefined && names.includes(repeated) && !isKnown(name, table)) {
      throw new TableError(
        `its column "${name}" is "${repeated}" again, as R and pandas number repeated columns; remove one, or import the record of its sample before`,
      )
    }
    if (!isOfOneLine(name)) {
      throw new TableError(
        `its column ${JSON.stringify(name)} is no name of a sample; write it in one line`,
      )
    }
    const same = names.findIndex((other) => isSameName(other, name))
    if (same < i) {
      throw new TableError(
        `its columns "${names[same]}" and "${name}" are of one sample; remove one of them`,
      )
    }
    try {
      const sample = { ...specimens.of(name), sample: observedAs(name) }
      doubts.judge('tumor', name)
      return { sample, observed: defined({ sample: sample.sample, ...origin }), reader }
    } catch (error) {
      if (!(error instanceof RowError)) throw error
      throw new TableError(error.message)
    }
  })
}

/** Matches a name with the number that R and pandas append to a repeated name. */
const NUMBERED = /^(.+)\.\d+$/

/** Upper and lower case make no difference in names of specimens. Equal columns may be repeated. */
const isSameName = (one: string, other: string) =>
  one === other || one.toLowerCase() === other.toLowerCase()

const isKnown = (name: string, { cases }: Table) =>
  cases?.has({ submitter_id: name }) || cases?.ofEntity(name) !== undefined

/**
 * Returns the gene of a row: the Ensembl id in any of its columns, and the symbol in the first.
 * @throws RowError if the row names no gene, or has a symbol of several lines
 */
function geneIn(cells: readonly string[]) {
  const texts = cells.map(nameIn)
  const geneId = texts.map(geneIdIn).find((id) => id !== undefined)
  const [first = ''] = texts
  const [symbol = ''] = geneIdIn(first) === undefined ? [first] : first.split('|')
  if (symbol === '') throw new RowError('the row names no gene')
  if (!isOfOneLine(symbol)) {
    throw new RowError(`${JSON.stringify(symbol)} is no name of a gene; write it in one line`)
  }
  return { geneId, symbol: geneIdIn(symbol) === undefined ? symbol : undefined }
}

/** Genes of a matrix with their line numbers. */
class Genes {
  readonly #lines = new Map<string, number>()

  /**
   * Adds the gene of a row.
   * @throws FormatError if an earlier row has the same gene, because nothing would tell the two apart
   */
  add({ geneId, symbol }: ReturnType<typeof geneIn>, line: number): void {
    const name = geneId ?? symbol ?? ''
    const before = this.#lines.get(name)
    this.#lines.set(name, line)
    if (before === undefined) return
    throw new FormatError(
      `cannot be read: lines ${before} and ${line} are both of gene ${name}; keep one, or name the genes by their Ensembl ids`,
    )
  }
}
