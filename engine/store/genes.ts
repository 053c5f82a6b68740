import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { EngineError } from '../errors.ts'
import { inTransaction } from './state.ts'

/** Where a gene lies, in the coordinates of the gene table it came from. */
export interface GeneSpan {
  readonly geneId: string
  readonly symbol: string
  /** The name as loaded, with or without `chr`. */
  readonly chromosome: string
  /** 1-based inclusive, as loaded. */
  readonly start: number
  readonly end: number
}

/** One gene of a gene table. */
export interface GeneRow extends GeneSpan {
  readonly name: string | null
  readonly biotype: string | null
  readonly strand: 1 | -1 | null
}

/** The release's gene model: finds genes by symbol. Keeps nothing in memory. */
export class GeneModel {
  readonly #state: DatabaseSync
  readonly #bySymbol: StatementSync
  readonly #count: StatementSync

  constructor(state: DatabaseSync) {
    this.#state = state
    this.#bySymbol = state.prepare(
      `SELECT gene_id, symbol, chromosome, start_pos, end_pos FROM genes
       WHERE symbol = ? ORDER BY gene_id`,
    )
    this.#count = state.prepare('SELECT count(*) AS genes FROM genes')
  }

  /** The genes that bear this symbol, case-sensitive; several may, as the PAR copies on X and Y do. */
  bySymbol(symbol: string): GeneSpan[] {
    // Genes without a symbol are stored with an empty one and belong to nobody's question.
    if (symbol === '') return []
    return this.#bySymbol.all(symbol).map((row) =>
      Object.freeze({
        geneId: row.gene_id as string,
        symbol: row.symbol as string,
        chromosome: row.chromosome as string,
        start: row.start_pos as number,
        end: row.end_pos as number,
      }),
    )
  }

  /** How many genes are loaded. */
  count(): number {
    return Number(this.#count.get()?.genes)
  }

  /**
   * Puts these genes in place of all that were there, in one transaction: others see the old model
   * or the new one.
   * @returns how many there are now
   * @throws EngineError `bad_input` when two genes have one id; the old model then stays
   */
  replaceAll(genes: Iterable<GeneRow>): number {
    const insert = this.#state.prepare(
      `INSERT INTO genes (gene_id, symbol, name, biotype, chromosome, start_pos, end_pos, strand)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (gene_id) DO NOTHING`,
    )
    return inTransaction(this.#state, () => {
      this.#state.exec('DELETE FROM genes')
      let added = 0
      for (const gene of genes) {
        const { changes } = insert.run(
          ...[gene.geneId, gene.symbol, gene.name, gene.biotype],
          ...[gene.chromosome, gene.start, gene.end, gene.strand],
        )
        if (changes === 0) {
          throw new EngineError(
            'bad_input',
            `gene id "${gene.geneId}" is given twice; each gene needs an id of its own`,
            { at: `genes[${added}]` },
          )
        }
        added += 1
      }
      return added
    })
  }
}
