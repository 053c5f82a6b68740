import type { JsonObject } from '../../../shared/input/json-value.ts'
import { RowError } from '../row-error.ts'
import { spanIn } from '../span.ts'
import { RANKS } from '../split-record.ts'
import { type NamedCells, readByName, type TableKind } from '../table-kind.ts'
import { defined } from './download-manifest.ts'

/** A gene model: GENCODE and Ensembl exports, under the column names that each has. */
export const geneTable: TableKind = {
  name: 'table of genes',
  needs: [['gene_id', 'ensgene'], ['chromosome', 'chr'], 'symbol', 'start', 'end'],
  open(table) {
    const spans = new Map<string, string>()
    const isDescribing = table.header.includes('ensgene')
    return readByName(table, KNOWN, (cell) => {
      const gene = geneOf(cell)
      const id = cell('gene_id') ?? cell('ensgene')
      if (id === undefined) throw new RowError('the row has no gene id')
      const span = `${gene.gene_chromosome}:${gene.gene_start}-${gene.gene_end}`
      const known = spans.get(id)
      spans.set(id, known ?? span)
      // The copy of a gene on Y keeps the suffix of its version (data-commons.md 11.3).
      const isCopy = known !== undefined && known !== span
      const geneId = isCopy ? cell('gene_id_version') : id
      if (geneId === undefined) throw new RowError(`gene ${id} occurs before with another place`)
      // A table of descriptions adds to a gene model; where both speak, the model counts.
      const rank = isDescribing ? RANKS.hearsay : RANKS.described
      table.intake.record('genes', { gene_id: geneId, ...gene }, rank)
    })
  },
}

function geneOf(cell: NamedCells): JsonObject {
  const { start, end } = spanIn(cell('start'), cell('end'))
  const strand = cell('strand')
  const external = {
    hgnc: listOf(cell('hgnc_id')),
    entrez_gene: listOf(cell('entrez')),
  }
  const text = cell('description')
  return defined({
    symbol: cell('symbol'),
    name: text,
    description: text,
    biotype: cell('biotype'),
    gene_chromosome: (cell('chromosome') ?? cell('chr'))?.replace(/^chr/, ''),
    gene_start: start,
    gene_end: end,
    gene_strand: strand === '-1' || strand === '-' ? -1 : strand === undefined ? undefined : 1,
    external_db_ids: external.hgnc || external.entrez_gene ? defined(external) : undefined,
  })
}

const listOf = (text: string | undefined) => (text === undefined ? undefined : [text])

const KNOWN = [
  'gene_id',
  'ensgene',
  'gene_id_version',
  'symbol',
  'description',
  'biotype',
  'chromosome',
  'chr',
  'start',
  'end',
  'strand',
  'hgnc_id',
  'entrez',
]
