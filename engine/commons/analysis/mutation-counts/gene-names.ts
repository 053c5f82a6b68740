import type { ReleaseArrays } from '../../release/loaded.ts'
import { spelledText } from '../../release/spelling.ts'

/** Name of a gene in a response. */
export interface GeneName {
  readonly gene_id: string
  readonly symbol: string | null
}

/** Returns the name of the gene in a row. The arrays must include the columns `gene_id` and `symbol` of genes. */
export function geneNameOf(row: number, arrays: ReleaseArrays): GeneName {
  const symbols = arrays.column('genes', 'symbol')
  const code = symbols?.codes?.[row] ?? 0
  return {
    gene_id: arrays.column('genes', 'gene_id')?.dictionary.text(row + 1) ?? '',
    symbol: symbols && code > 0 ? spelledText(symbols, code) : null,
  }
}

interface WantedGenes {
  /** Gene ids. If empty, the genes with the greatest counts are used. */
  readonly geneIds: readonly string[]
  /** Maximum number of genes. */
  readonly geneSize: number
}

/**
 * Returns the rows of the requested genes, or of those with the greatest counts, by descending count, then by gene
 * id.
 * @param counts of cases by row of the gene
 */
export function geneRows(
  { geneIds, geneSize }: WantedGenes,
  counts: Uint32Array,
  arrays: ReleaseArrays,
): readonly number[] {
  const ids = arrays.column('genes', 'gene_id')?.dictionary
  const named = [...new Set(geneIds)].flatMap((id) => {
    const code = ids?.find(id) ?? 0
    return code > 0 ? [code - 1] : []
  })
  const rows =
    geneIds.length > 0
      ? named.sort((a, b) => a - b)
      : Array.from(counts.keys()).filter((row) => counts[row]! > 0)
  // The sort is stable, so equal counts keep the order of ids.
  return rows.sort((a, b) => counts[b]! - counts[a]!).slice(0, geneSize)
}
