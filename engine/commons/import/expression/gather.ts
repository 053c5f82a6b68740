import {
  ABSENT,
  BATCH_BYTES,
  type MatrixFacts,
  type MatrixRow,
} from '../../analysis/expression/matrix-format.ts'
import { compareIds } from './gene-layout.ts'
import { type Block, makeValues, type ValueSource } from './value-source.ts'
import type { Values } from './value-spool.ts'

/**
 * Size of a block of values in bytes. Rows that wait for their record batch are in the last block. A block is
 * larger than a batch, so two alternating blocks suffice.
 */
const BLOCK_BYTES = 2 * BATCH_BYTES

/** Returns all genes with values in any source, in the order of a matrix. */
export function allGenes(sources: readonly ValueSource[]): readonly string[] {
  return [...new Set(sources.flatMap(({ genes }) => genes))].sort(compareIds)
}

/**
 * Yields the rows of a matrix from all its sources. Reads a block of genes at a time, so that memory does not
 * grow with the number of genes. A row is valid until BATCH_BYTES of further rows have been requested.
 * @param genes genes of all sources, ascending
 */
export async function* gatherRows(
  sources: readonly ValueSource[],
  { kind, cases }: Pick<MatrixFacts, 'kind' | 'cases'>,
  {
    genes,
    symbolOf,
  }: {
    readonly genes: readonly string[]
    readonly symbolOf: (gene: string) => string | null
  },
): AsyncGenerator<MatrixRow, void, undefined> {
  const numbers = new Map(genes.map((gene, number) => [gene, number]))
  const placed = sources.map((source) => ({
    source,
    placeOf: Int32Array.from(source.genes, (gene) => numbers.get(gene) ?? -1),
  }))
  const width = cases.length * (kind === 'fixed' ? 4 : 8)
  const step = Math.max(1, Math.floor(BLOCK_BYTES / width))
  const buffers = [0, 1].map(() => makeValues(kind, step * cases.length))
  for (let first = 0; first < genes.length; first += step) {
    const end = Math.min(first + step, genes.length)
    const values = buffers[(first / step) % 2] as Values
    values.fill(kind === 'fixed' ? ABSENT : Number.NaN)
    const block: Block = { first, end, cases: cases.length, values }
    for (const { source, placeOf } of placed) await source.fill(block, placeOf)
    for (let gene = first; gene < end; gene++) {
      const geneId = genes[gene] as string
      const start = (gene - first) * cases.length
      const values = block.values.subarray(start, start + cases.length)
      yield { geneId, symbol: symbolOf(geneId), values }
    }
  }
}
