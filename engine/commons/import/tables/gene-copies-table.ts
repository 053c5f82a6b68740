import {
  categoryOfCopies,
  chromosomeIn,
  geneChangeDocument,
  geneIdIn,
} from '../copy-number-change.ts'
import { COPY_NUMBER_TABLE, originOf, samplesIn } from '../copy-number-table.ts'
import { CopyNumberWriter } from '../copy-number-writer.ts'
import { referenceIn } from '../reference-name.ts'
import { RowError } from '../row-error.ts'
import { spanIn } from '../span.ts'
import { readByName, type TableKind, wholeNumber } from '../table-kind.ts'
import { defined } from './download-manifest.ts'

const COLUMNS = ['gene_id', 'gene_name', 'chromosome', 'start', 'end', 'copy_number']

/** Copies of each gene in one sample, as the commons publishes them; positions as in GENCODE. */
export const geneCopiesTable: TableKind = {
  name: COPY_NUMBER_TABLE,
  needsCases: true,
  needs: COLUMNS,
  open(table) {
    // The commons publishes this form for one reference alone.
    const build = referenceIn(table.fileName) ?? 'GRCh38'
    const samples = samplesIn(table)
    const origin = originOf(table)
    const writer = new CopyNumberWriter(table.intake, 'cnvs')
    const known = [...COLUMNS, 'min_copy_number', 'max_copy_number']
    if (samples.column !== undefined) known.push(samples.column)
    return readByName(table, known, (cell) => {
      const sample = samples.of(cell)
      const geneId = geneIdIn(cell('gene_id'))
      if (geneId === undefined) throw new RowError('the row has no gene id')
      const place = {
        chromosome: chromosomeIn(cell('chromosome')),
        ...spanIn(cell('start'), cell('end')),
      }
      const text = cell('copy_number')
      if (text === undefined) {
        table.intake.unchanged({ neutral: 0, missing: 1 })
        return
      }
      const copies = wholeNumber(text)
      if (copies === undefined || copies < 0) throw new RowError('copy_number is no whole number')
      const category = categoryOfCopies(copies)
      writer.measured(sample)
      if (category === 'Neutral') {
        table.intake.unchanged({ neutral: 1, missing: 0 })
        return
      }
      const change = { build, geneId, symbol: cell('gene_name'), place, category }
      writer.add(geneChangeDocument(change), sample, defined({ sample: sample.sample, ...origin }))
    })
  },
}
