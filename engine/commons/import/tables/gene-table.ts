import { withoutVersion } from '../../../shared/input/gene-id.ts'
import type { JsonObject } from '../../../shared/input/json-value.ts'
import {
  chromosome,
  name,
  type RowOf,
  strand,
  symbol,
  text,
  whole,
  withValues,
} from '../columns.ts'
import { defined } from '../defined.ts'
import { RowError } from '../row-error.ts'
import { spanIn } from '../span.ts'
import { RANKS } from '../split-record.ts'
import { declareTable } from '../table-kind.ts'

const COLUMNS = {
  gene: name('gene_id', 'ensgene'),
  versioned: text('gene_id_version'),
  symbol: withValues(symbol('symbol'), 'NA'),
  description: text('description'),
  biotype: text('biotype'),
  chromosome: chromosome('chromosome', 'chr'),
  start: whole('start'),
  end: whole('end'),
  strand: strand('strand'),
  hgnc: text('hgnc_id'),
  entrez: text('entrez'),
}

/** A gene model exported from GENCODE or Ensembl, with the column names of one of them. */
export const geneTable = declareTable({
  name: 'table of genes',
  columns: COLUMNS,
  needs: ['gene', 'chromosome', 'symbol', 'start', 'end'],
  open({ header, intake }) {
    const spans = new Map<string, string>()
    const isDescribing = header.includes('ensgene')
    return (row) => {
      const gene = geneOf(row)
      if (row.gene === undefined) throw new RowError('the row has no gene id')
      const id = withoutVersion(row.gene)
      const span = `${gene.gene_chromosome}:${gene.gene_start}-${gene.gene_end}`
      const known = spans.get(id)
      spans.set(id, known ?? span)
      // The copy of a gene on Y keeps the suffix of its version (data-commons.md 11.3).
      const isCopy = known !== undefined && known !== span
      const geneId = isCopy ? row.versioned : id
      if (geneId === undefined) throw new RowError(`gene ${id} occurs before with another place`)
      // A table of descriptions supplements a gene model, which takes precedence.
      const rank = isDescribing ? RANKS.hearsay : RANKS.described
      intake.record('genes', { gene_id: geneId, ...gene }, rank)
    }
  },
})

function geneOf(row: RowOf<typeof COLUMNS>): JsonObject {
  const { start, end } = spanIn(row.start, row.end)
  const { hgnc, entrez, description } = row
  return defined({
    symbol: row.symbol,
    name: description,
    description,
    biotype: row.biotype,
    gene_chromosome: row.chromosome,
    gene_start: start,
    gene_end: end,
    gene_strand: row.strand,
    external_db_ids:
      hgnc === undefined && entrez === undefined
        ? undefined
        : defined({ hgnc: hgnc && [hgnc], entrez_gene: entrez && [entrez] }),
  })
}
