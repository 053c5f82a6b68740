import { keyedStatements, rowsByKeys } from '../database/by-keys.ts'
import type { Database } from '../database/database.ts'
import type { Parameters } from '../database/values.ts'
import { EngineError } from '../errors.ts'

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

interface GeneSpanRow {
  readonly gene_id: string
  readonly symbol: string
  readonly chromosome: string
  readonly start_pos: number
  readonly end_pos: number
}

const BY_SYMBOLS = keyedStatements(
  (places) => `SELECT gene_id, symbol, chromosome, start_pos, end_pos FROM genes
    WHERE symbol IN (${places}) ORDER BY gene_id`,
)
const INSERT = `
  INSERT INTO genes (gene_id, symbol, name, biotype, chromosome, start_pos, end_pos, strand)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)`

/** The release's gene model: finds genes by symbol. Keeps nothing in memory. */
export class GeneModel {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /**
   * The genes that bear one of these symbols, case-sensitive, by one read; several may bear one, as
   * the PAR copies on X and Y do. A symbol that no gene bears has no entry.
   */
  async bySymbols(symbols: readonly string[]): Promise<ReadonlyMap<string, readonly GeneSpan[]>> {
    const keys = symbols.filter(isSymbol)
    if (keys.length === 0) return new Map()
    const found = await this.#database.read((rows) =>
      rowsByKeys((sql, some) => rows.all<GeneSpanRow>(sql, some), BY_SYMBOLS, keys),
    )
    return Map.groupBy(found.map(spanOf), ({ symbol }) => symbol)
  }

  /** How many genes are loaded. */
  async count(): Promise<number> {
    const sql = 'SELECT count(*) AS genes FROM genes'
    return (await this.#database.ask<{ genes: number }>(sql))[0]?.genes ?? 0
  }

  /**
   * Puts these genes in place of all that were there, in one transaction: others see the old model
   * or the new one.
   * @returns how many there are now
   * @throws EngineError `bad_input` when two genes have one id; the old model then stays
   */
  async replaceAll(genes: Iterable<GeneRow>): Promise<number> {
    const rows = [...distinct(genes)]
    await this.#database.write(async (transaction) => {
      await transaction.run('DELETE FROM genes')
      await transaction.runEach(INSERT, rows)
    })
    return rows.length
  }
}

/** Genes without a symbol are stored with an empty one and belong to nobody's question. */
function isSymbol(text: string): boolean {
  return text !== '' && text.isWellFormed() && !text.includes('\0')
}

function spanOf(row: GeneSpanRow): GeneSpan {
  return Object.freeze({
    geneId: row.gene_id,
    symbol: row.symbol,
    chromosome: row.chromosome,
    start: row.start_pos,
    end: row.end_pos,
  })
}

function* distinct(genes: Iterable<GeneRow>): Generator<Parameters> {
  const ids = new Set<string>()
  for (const gene of genes) {
    if (ids.has(gene.geneId)) {
      throw new EngineError(
        'bad_input',
        `gene id "${gene.geneId}" is given twice; each gene needs an id of its own`,
        { at: `genes[${ids.size}]` },
      )
    }
    ids.add(gene.geneId)
    yield [
      ...[gene.geneId, gene.symbol, gene.name, gene.biotype],
      ...[gene.chromosome, gene.start, gene.end, gene.strand],
    ]
  }
}
