import { createReadStream } from 'node:fs'
import type { GeneRow } from '../../shared/catalogue/genes.ts'
import { type JsonObject, textIn } from '../../shared/input/json-value.ts'
import { splitLines } from '../../shared/input/lines.ts'

/** Reads the genes that have coordinates from a file of gene documents, for slicing by gene symbol. */
export async function readGeneRows(path: string): Promise<readonly GeneRow[]> {
  const rows: GeneRow[] = []
  for await (const lines of splitLines(createReadStream(path))) {
    for (const { text } of lines) {
      const row = geneRow(JSON.parse(text))
      if (row) rows.push(row)
    }
  }
  return rows
}

function geneRow(gene: JsonObject): GeneRow | undefined {
  const { gene_start: start, gene_end: end, gene_strand: strand } = gene
  const geneId = textIn(gene.gene_id)
  const chromosome = textIn(gene.gene_chromosome)
  if (geneId === undefined || chromosome === undefined) return undefined
  if (typeof start !== 'number' || typeof end !== 'number' || start < 1 || end < start) {
    return undefined
  }
  return {
    geneId,
    symbol: textIn(gene.symbol) ?? '',
    name: textIn(gene.name) ?? null,
    biotype: textIn(gene.biotype) ?? null,
    chromosome,
    start,
    end,
    strand: strand === 1 || strand === -1 ? strand : null,
  }
}
