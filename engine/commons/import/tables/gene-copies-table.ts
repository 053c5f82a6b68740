import { chromosome, count, gene, symbol, whole } from '../columns.ts'
import { categoryOfCopies, geneChangeDocument } from '../copy-number-change.ts'
import { COPY_NUMBER_TABLE, originOf, SAMPLE_COLUMN, samplesIn } from '../copy-number-table.ts'
import { CopyNumberWriter } from '../copy-number-writer.ts'
import { defined } from '../defined.ts'
import { referenceIn } from '../reference-name.ts'
import { RowError } from '../row-error.ts'
import { placeIn, proveWithin } from '../span.ts'
import { declareTable } from '../table-kind.ts'

/**
 * A table of the copy number of each gene in one or several samples, in the format of the commons. Positions are
 * 1-based and inclusive, as in GENCODE.
 */
export const geneCopiesTable = declareTable({
  name: COPY_NUMBER_TABLE,
  needsCases: true,
  columns: {
    gene: gene('gene_id'),
    symbol: symbol('gene_name'),
    chromosome: chromosome('chromosome'),
    start: whole('start'),
    end: whole('end'),
    copies: count('copy_number'),
    // Recognized, but not imported.
    least: count('min_copy_number'),
    most: count('max_copy_number'),
    sample: SAMPLE_COLUMN,
  },
  needs: ['gene', 'symbol', 'chromosome', 'start', 'end', 'copies'],
  open(table) {
    // The commons publishes this format for GRCh38 only.
    const build = referenceIn(table.fileName) ?? 'GRCh38'
    const samples = samplesIn(table)
    const origin = originOf(table)
    const { intake } = table
    const writer = new CopyNumberWriter(intake, 'cnvs')
    const repeats = new Repeats()
    return (row) => {
      const sample = samples.of(row.sample)
      const { gene: geneId, symbol, copies } = row
      if (geneId === undefined) throw new RowError('the row has no gene id')
      const place = placeIn(row, build)
      proveWithin(place.end, place.chromosome, build)
      intake.noteBuild(build)
      if (copies === undefined) {
        intake.unchanged({ neutral: 0, missing: 1 })
        return
      }
      repeats.prove(geneId, { sample: row.sample ?? '', copies, line: intake.line })
      if (copies < 0) throw new RowError(`copy_number is ${copies}; give 0 or more`)
      const category = categoryOfCopies(copies)
      writer.measured(sample)
      if (category === 'Neutral') {
        intake.unchanged({ neutral: 1, missing: 0 })
        return
      }
      const change = { build, geneId, symbol, place, category }
      writer.add(geneChangeDocument(change), sample, defined({ sample: sample.sample, ...origin }))
    }
  },
})

interface Measured {
  /** Name of the specimen. Empty in a table without a sample column. */
  readonly sample: string
  readonly copies: number
  readonly line: number
}

/**
 * Finds rows of the same gene in one sample. Forgets a sample when the rows of another start, so it expects the
 * rows of a sample to be adjacent.
 */
class Repeats {
  #sample = ''
  readonly #genes = new Map<string, Measured>()

  /** @throws RowError if an earlier row of the sample has another number of copies of the gene */
  prove(geneId: string, measured: Measured): void {
    if (measured.sample !== this.#sample) this.#genes.clear()
    this.#sample = measured.sample
    const before = this.#genes.get(geneId)
    if (before === undefined) this.#genes.set(geneId, measured)
    else if (before.copies !== measured.copies) {
      const { copies, line } = before
      throw new RowError(
        `gene ${geneId} has ${copies} copies in line ${line}, and ${measured.copies} here`,
      )
    }
  }
}
