import type { JsonObject } from '../../../shared/input/json-value.ts'
import {
  type Category,
  categoryOfCall,
  geneChangeDocument,
  geneIdIn,
} from '../copy-number-change.ts'
import { COPY_NUMBER_TABLE, originOf } from '../copy-number-table.ts'
import { CopyNumberWriter, type Sample, sampleOf } from '../copy-number-writer.ts'
import { referenceIn } from '../reference-name.ts'
import { RowError, TableError } from '../row-error.ts'
import { type Table, type TableKind, valueIn } from '../table-kind.ts'
import { defined } from './download-manifest.ts'

/** Columns before the samples that say which gene a row is of. */
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
  ],
])

const isOfGene = (column: string) => GENE_COLUMNS.has(column.toLowerCase())

/**
 * Thresholded calls of genes (rows) in samples (columns), -2 to 2, as GISTIC and the commons' gene
 * level scores have them. Expression has the same columns: the values show which it is.
 */
export const callMatrix: TableKind = {
  name: COPY_NUMBER_TABLE,
  needs: [],
  needsCases: true,
  matches(columns, _, rows) {
    const [first = '', ...others] = columns
    if (!isOfGene(first) || others.every(isOfGene)) return false
    const from = [...columns].findIndex((column) => !isOfGene(column))
    const values = rows.flatMap((row) => row.slice(from)).map(valueIn)
    const areCalls = values.every((each) => each === undefined || categoryOfCall(each))
    const isScored = columns.has('Gene Symbol') && columns.has('Cytoband')
    // Counts of a gene that nothing expresses are zeros too.
    return areCalls && (isScored || values.some((each) => each?.startsWith('-')))
  },
  open(table) {
    const { header, intake } = table
    const from = header.findIndex((column) => !isOfGene(column))
    const build = referenceIn(table.fileName)
    const samples = samplesOfColumns(table, from)
    const writer = new CopyNumberWriter(intake, 'cnvs')
    return {
      unused: [],
      take(cells) {
        const gene = geneIn(header.slice(0, from), cells)
        const categories = samples.map((_, i) => callIn(cells[from + i], from + i))
        const changes = new Map<Category, JsonObject>()
        let neutral = 0
        let missing = 0
        for (const [i, { sample, observed }] of samples.entries()) {
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

function samplesOfColumns(
  table: Table,
  from: number,
): readonly { readonly sample: Sample; readonly observed: JsonObject }[] {
  const origin = originOf(table)
  return table.header.slice(from).map((column) => {
    try {
      const sample = sampleOf(column, table.cases)
      return { sample, observed: defined({ sample: sample.sample, ...origin }) }
    } catch (error) {
      if (!(error instanceof RowError)) throw error
      throw new TableError(error.message)
    }
  })
}

function callIn(cell: string | undefined, column: number): Category | undefined {
  const text = valueIn(cell)
  if (text === undefined) return undefined
  const category = categoryOfCall(text)
  if (category === undefined) throw new RowError(`column ${column + 1} is no call from -2 to 2`)
  return category
}

/** The gene of a row: an Ensembl id wherever it stands, else the symbol as it stands. */
function geneIn(columns: readonly string[], cells: readonly string[]) {
  const texts = columns.map((_, i) => valueIn(cells[i]))
  const geneId = texts.map(geneIdIn).find((id) => id !== undefined)
  const [first] = texts
  const [symbol] = geneIdIn(first) === undefined ? [first] : (first?.split('|') ?? [])
  if (symbol === undefined) throw new RowError('the row names no gene')
  return { geneId, symbol: geneIdIn(symbol) === undefined ? symbol : undefined }
}
